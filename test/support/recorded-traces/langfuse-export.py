"""Writes a page of observations like Langfuse's API, with the types of its SDK: its server is in no registry."""
import sys

from langfuse.api import ObservationsV2Response
from langfuse.api.core.pydantic_utilities import parse_obj_as

TRACE = "5e1f0a9c4d3b2a1f00112233445566aa"
COMMON = {
    "traceId": TRACE,
    "projectId": "p1",
    "environment": "default",
    "level": "DEFAULT",
    "sessionId": "s1",
    "userId": "u1",
}
QUESTION = [{"role": "system", "content": "Be terse."}, {"role": "user", "content": "Weather in Paris?"}]
CALLS = [{"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city":"Paris"}'}}]
SAID = {"role": "assistant", "content": None, "tool_calls": CALLS}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "sunny in Paris"}
ANSWER = {"role": "assistant", "content": "It is sunny in Paris."}
USAGE = {"input": 60, "input_cached_tokens": 40, "output": 20, "total": 120}


def observation(identifier: str, second: int, **fields: object) -> dict:
    times = {"startTime": f"2026-11-28T12:00:0{second}.123Z", "endTime": f"2026-11-28T12:00:0{second + 1}.456Z"}
    return {"id": identifier, **COMMON, **times, **fields}


def call(identifier: str, second: int, given: list, said: dict) -> dict:
    return observation(
        identifier,
        second,
        **{"type": "GENERATION", "name": "chat", "parentObservationId": "a" * 16, "model": "gpt-4o"},
        **{"input": given, "output": said, "usageDetails": USAGE, "costDetails": {"input": 0.1, "output": 0.2, "total": 0.3}},
    )


observations = [
    observation(
        "a" * 16,
        0,
        **{"type": "AGENT", "name": "forecaster", "endTime": "2026-11-28T12:00:09Z", "metadata": {"tier": "gold"}},
        **{"input": {"question": "Weather in Paris?"}, "output": "It is sunny in Paris."},
    ),
    call("b" * 16, 1, QUESTION, SAID),
    observation(
        "c" * 16,
        2,
        **{"type": "TOOL", "name": "get_weather", "parentObservationId": "a" * 16},
        **{"input": {"city": "Paris"}, "output": "sunny in Paris"},
    ),
    observation(
        "e" * 16,
        2,
        **{"type": "TOOL", "name": "get_time", "parentObservationId": "a" * 16, "level": "ERROR"},
        **{"input": {}, "statusMessage": "no clock"},
    ),
    call("d" * 16, 4, [*QUESTION, SAID, RESULT], ANSWER),
]
page = parse_obj_as(type_=ObservationsV2Response, object_={"data": observations, "meta": {}})
sys.stdout.write(page.json() + "\n")
