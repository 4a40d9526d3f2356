from telemetry import provider  # noqa: F401
from langsmith import Client, traceable
from langsmith.wrappers import wrap_anthropic, wrap_openai
from loop import anthropic_client, ask_anthropic, ask_openai, openai_client

ask_openai(wrap_openai(openai_client))
ask_anthropic(wrap_anthropic(anthropic_client))
