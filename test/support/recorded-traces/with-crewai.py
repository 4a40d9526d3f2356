from telemetry import BASE, MODEL, QUESTION, provider
from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool
from openinference.instrumentation.crewai import CrewAIInstrumentor
from openinference.instrumentation.openai import OpenAIInstrumentor

CrewAIInstrumentor().instrument(tracer_provider=provider)
OpenAIInstrumentor().instrument(tracer_provider=provider)


@tool("get_weather")
def get_weather(city: str) -> str:
    """Get the weather in a city."""
    return f"sunny in {city}"


model = LLM(model=f"openai/{MODEL}", base_url=f"{BASE}/v1", api_key="none")
agent = Agent(role="Forecaster", goal="Tell the weather", backstory="Be terse.", llm=model, tools=[get_weather])
Crew(agents=[agent], tasks=[Task(description=QUESTION, expected_output="A sentence", agent=agent)]).kickoff()
