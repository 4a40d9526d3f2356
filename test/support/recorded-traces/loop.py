"""Calls OpenAI and Anthropic until they have an answer, as an agent without a framework does."""
import json

import anthropic
import openai
from telemetry import BASE, INSTRUCTIONS, MODEL, QUESTION, weather

PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def ask_openai(client: openai.OpenAI) -> None:
    tools = [{"type": "function", "function": {"name": "get_weather", "parameters": PARAMETERS}}]
    messages = [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": QUESTION}]
    while True:
        said = client.chat.completions.create(model=MODEL, messages=messages, tools=tools).choices[0].message
        if not said.tool_calls:
            return
        messages.append(said.model_dump(exclude_none=True))
        for call in said.tool_calls:
            result = weather(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def ask_anthropic(client: anthropic.Anthropic) -> None:
    tools = [{"name": "get_weather", "input_schema": PARAMETERS}]
    messages = [{"role": "user", "content": QUESTION}]
    while True:
        said = client.messages.create(
            model="claude-sonnet-4-5", max_tokens=100, system=INSTRUCTIONS, messages=messages, tools=tools
        )
        calls = [part for part in said.content if part.type == "tool_use"]
        if not calls:
            return
        messages.append({"role": "assistant", "content": [part.model_dump(exclude_none=True) for part in said.content]})
        results = [{"type": "tool_result", "tool_use_id": call.id, "content": weather(**call.input)} for call in calls]
        messages.append({"role": "user", "content": results})


openai_client = openai.OpenAI(base_url=f"{BASE}/v1", api_key="none")
anthropic_client = anthropic.Anthropic(base_url=BASE, api_key="none")
