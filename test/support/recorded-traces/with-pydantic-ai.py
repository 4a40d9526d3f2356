from telemetry import BASE, INSTRUCTIONS, MODEL, QUESTION, weather
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

Agent.instrument_all()
model = OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=f"{BASE}/v1", api_key="none"))
agent = Agent(model, instructions=INSTRUCTIONS)
agent.tool_plain(name="get_weather")(weather)
agent.run_sync(QUESTION)
