import asyncio
import os

from telemetry import BASE, INSTRUCTIONS, MODEL, QUESTION, provider, weather
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai import OpenAI
from openinference.instrumentation.llama_index import LlamaIndexInstrumentor

LlamaIndexInstrumentor().instrument(tracer_provider=provider)
model = OpenAI(model=MODEL, api_base=f"{BASE}/v1", api_key="none")
tool = FunctionTool.from_defaults(weather, name="get_weather")
agent = FunctionAgent(tools=[tool], llm=model, system_prompt=INSTRUCTIONS, streaming=os.environ.get("STREAMED") is not None)


async def main() -> None:
    await agent.run(QUESTION)


asyncio.run(main())
