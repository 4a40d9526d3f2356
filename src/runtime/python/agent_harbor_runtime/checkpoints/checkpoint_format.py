"""Checkpoint values in the protocol's form: the output of the user's own serializer, with its type
tag.
"""

from __future__ import annotations

import base64
import copy
import os
from typing import Any

from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from ..protocol import PendingWrite, SerializedValue


class UnsavableValueError(TypeError):
    """A value of a state that no serializer can write, such as a lock or an open connection."""


def checkpoint_serde(own: SerializerProtocol | None) -> SerializerProtocol:
    """The serializer for a project's checkpoints: the project's own if it has one, otherwise
    LangGraph's. The latter pickles values that msgpack cannot represent, such as DataFrames and
    objects of the project's classes. That is safe, because the server imports no pickles from
    elsewhere. In LangGraph's strict mode (`LANGGRAPH_STRICT_MSGPACK`), nothing is pickled.
    """
    if own is not None and type(own) is not JsonPlusSerializer:
        return own
    serde = JsonPlusSerializer() if own is None else copy.copy(own)
    if os.environ.get("LANGGRAPH_STRICT_MSGPACK", "").lower() not in ("1", "true", "yes"):
        serde.pickle_fallback = True
    return serde


def serialize(serde: SerializerProtocol, value: Any, channel: str = "", node: str = "") -> SerializedValue:
    """Converts a value to its stored form.
    Raises UnsavableValueError, which names the channel and the node that wrote it, if a channel is
    given.
    """
    try:
        kind, data = serde.dumps_typed(value)
    except Exception as error:
        if not channel:
            raise
        written = f"'{channel}', written by '{node}'," if node else f"'{channel}'"
        raise UnsavableValueError(
            f"{written} holds a value that cannot be saved in a checkpoint: {error}. "
            "Keep it out of the state, or give the graph's checkpointer a serializer for it."
        ) from error
    if kind == "json":
        return {"type": kind, "encoding": "utf8", "data": data.decode()}
    return {"type": kind, "encoding": "base64", "data": base64.b64encode(data).decode()}


def deserialize(serde: SerializerProtocol, value: SerializedValue) -> Any:
    """Deserializes a value; every call returns a new object."""
    data = value["data"].encode() if value["encoding"] == "utf8" else base64.b64decode(value["data"])
    return serde.loads_typed((value["type"], data))


def by_task_path(write: PendingWrite) -> tuple[str, str, int]:
    """The sort key for the order in which the writes of a superstep are applied."""
    return (write.get("task_path", ""), write["task_id"], write["index"])
