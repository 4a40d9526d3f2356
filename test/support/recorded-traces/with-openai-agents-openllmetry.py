from telemetry import INSTRUCTIONS, MODEL, QUESTION, provider, weather
from agents import Agent, Runner, function_tool
from opentelemetry.instrumentation.openai_agents import OpenAIAgentsInstrumentor

OpenAIAgentsInstrumentor().instrument(tracer_provider=provider)
tool = function_tool(weather, name_override="get_weather")
Runner.run_sync(Agent(name="Forecaster", instructions=INSTRUCTIONS, model=MODEL, tools=[tool]), QUESTION)
