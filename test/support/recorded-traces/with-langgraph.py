from telemetry import BASE, INSTRUCTIONS, MODEL, QUESTION, provider, weather
from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from openinference.instrumentation.langchain import LangChainInstrumentor

LangChainInstrumentor().instrument(tracer_provider=provider)
model = ChatOpenAI(model=MODEL, base_url=f"{BASE}/v1", api_key="none")
agent = create_agent(model, tools=[tool("get_weather")(weather)], system_prompt=INSTRUCTIONS)
agent.invoke({"messages": [{"role": "user", "content": QUESTION}]})
