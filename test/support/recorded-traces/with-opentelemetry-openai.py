from telemetry import provider
from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor

OpenAIInstrumentor().instrument()
from loop import ask_openai, openai_client  # noqa: E402

with provider.get_tracer("program").start_as_current_span("answer"):
    ask_openai(openai_client)
