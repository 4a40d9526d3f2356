"""Checkpoint values as the protocol carries them: what the user's own serializer made, with its type tag."""

from __future__ import annotations

import base64
from typing import Any

from langgraph.checkpoint.serde.base import SerializerProtocol

from .protocol import PendingWrite, SerializedValue


def serialize(serde: SerializerProtocol, value: Any) -> SerializedValue:
    kind, data = serde.dumps_typed(value)
    if kind == "json":
        return {"type": kind, "encoding": "utf8", "data": data.decode()}
    return {"type": kind, "encoding": "base64", "data": base64.b64encode(data).decode()}


def deserialize(serde: SerializerProtocol, value: SerializedValue) -> Any:
    """A fresh value at every call."""
    data = value["data"].encode() if value["encoding"] == "utf8" else base64.b64decode(value["data"])
    return serde.loads_typed((value["type"], data))


def by_task_path(write: PendingWrite) -> tuple[str, str, int]:
    """The order in which a superstep's writes are applied."""
    return (write.get("task_path", ""), write["task_id"], write["index"])
