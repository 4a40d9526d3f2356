from telemetry import provider
from openinference.instrumentation.anthropic import AnthropicInstrumentor

AnthropicInstrumentor().instrument(tracer_provider=provider)
from loop import anthropic_client, ask_anthropic  # noqa: E402

ask_anthropic(anthropic_client)
