from telemetry import provider
from opentelemetry.instrumentation.openai import OpenAIInstrumentor

OpenAIInstrumentor().instrument(tracer_provider=provider)
from loop import ask_openai, openai_client  # noqa: E402

ask_openai(openai_client)
