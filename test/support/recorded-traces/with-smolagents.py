from telemetry import BASE, MODEL, QUESTION, provider
from openinference.instrumentation.smolagents import SmolagentsInstrumentor
from smolagents import OpenAIServerModel, ToolCallingAgent, tool

SmolagentsInstrumentor().instrument(tracer_provider=provider)


@tool
def get_weather(city: str) -> str:
    """Get the weather.

    Args:
        city: the city
    """
    return f"sunny in {city}"


model = OpenAIServerModel(model_id=MODEL, api_base=f"{BASE}/v1", api_key="none")
ToolCallingAgent(tools=[get_weather], model=model).run(QUESTION)
