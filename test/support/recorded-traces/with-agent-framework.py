import asyncio

from telemetry import BASE, INSTRUCTIONS, MODEL, QUESTION, weather
from agent_framework import Agent, tool
from agent_framework.observability import enable_instrumentation
from agent_framework.openai import OpenAIChatCompletionClient

enable_instrumentation(enable_sensitive_data=True)
client = OpenAIChatCompletionClient(model=MODEL, base_url=f"{BASE}/v1", api_key="none")
agent = Agent(client=client, instructions=INSTRUCTIONS, tools=[tool(weather, name="get_weather")])


async def main() -> None:
    await agent.run(QUESTION)


asyncio.run(main())
