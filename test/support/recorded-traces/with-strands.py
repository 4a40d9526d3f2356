from telemetry import BASE, INSTRUCTIONS, MODEL, QUESTION, weather
from strands import Agent, tool
from strands.models.openai import OpenAIModel

model = OpenAIModel(client_args={"base_url": f"{BASE}/v1", "api_key": "none"}, model_id=MODEL)
Agent(model=model, system_prompt=INSTRUCTIONS, tools=[tool(name="get_weather")(weather)])(QUESTION)
