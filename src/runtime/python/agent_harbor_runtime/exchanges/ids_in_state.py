"""The UUIDs in a state."""

from __future__ import annotations

import base64
import re

from ..protocol import CheckpointTuple

_ID = re.compile(rb"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


def ids_in_state(state: CheckpointTuple | None) -> frozenset[str]:
    """The UUIDs in the serialized values of a state, in any format."""
    if state is None:
        return frozenset()
    values = [
        value["data"].encode() if value["encoding"] == "utf8" else base64.b64decode(value["data"])
        for value in state["channel_values"].values()
    ]
    return frozenset(found.decode() for value in values for found in _ID.findall(value))
