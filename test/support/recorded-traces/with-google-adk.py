import asyncio

from telemetry import INSTRUCTIONS, QUESTION, weather
from google.adk.agents import Agent
from google.adk.runners import InMemoryRunner
from google.genai import types

weather.__name__ = "get_weather"
agent = Agent(name="forecaster", model="gemini-2.5-flash", instruction=INSTRUCTIONS, tools=[weather])


async def main() -> None:
    runner = InMemoryRunner(agent=agent, app_name="recorded")
    session = await runner.session_service.create_session(app_name="recorded", user_id="u1")
    message = types.Content(role="user", parts=[types.Part(text=QUESTION)])
    async for _ in runner.run_async(user_id="u1", session_id=session.id, new_message=message):
        pass


asyncio.run(main())
