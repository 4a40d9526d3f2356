from telemetry import BASE, INSTRUCTIONS, MODEL, QUESTION, provider, weather
from agno.agent import Agent
from agno.models.openai import OpenAIChat
from openinference.instrumentation.agno import AgnoInstrumentor

AgnoInstrumentor().instrument(tracer_provider=provider)
weather.__name__ = "get_weather"
model = OpenAIChat(id=MODEL, base_url=f"{BASE}/v1", api_key="none")
Agent(model=model, instructions=INSTRUCTIONS, tools=[weather]).run(QUESTION)
