"""Gives messages that nodes return their IDs before they are streamed, as LangGraph itself does when
it streams messages. Otherwise, the reducers of messages would add IDs in place when the superstep
has ended, and events that were sent earlier would lack them.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator
from typing import Any

from langchain_core.messages import BaseMessage

from ..link.json_text import to_json
from .exchanges import current_exchanges

#: The key for several writes to one channel in the result of a task.
_WRITES = "$writes"


def add_ids_to_update(payload: Any) -> None:
    """Gives IDs to the messages in the payload of `updates`: the update of a node by its name, or a
    list of several.
    """
    if isinstance(payload, dict):
        for update in payload.values():
            add_ids_to_output(update)


def add_ids_to_output(output: Any) -> None:
    """Gives IDs to the messages in an update, in a list of updates, or in the return value of a
    task without a state.
    """
    for message in _messages(output):
        if message.id is None:
            message.id = _new_id(message)


def _messages(output: Any) -> Iterator[BaseMessage]:
    for part in output if isinstance(output, list) else [output]:
        for value in part.values() if isinstance(part, dict) else [part]:
            written = value.get(_WRITES, ()) if isinstance(value, dict) else [value]
            for one in written:
                for message in one if isinstance(one, (list, tuple)) else [one]:
                    if isinstance(message, BaseMessage):
                        yield message


def _new_id(message: BaseMessage) -> str:
    run = current_exchanges()
    if run is None:
        return str(uuid.uuid4())
    # The ID is derived from the content, because tasks of a superstep may end in another order in a replay.
    digest = hashlib.sha256(to_json(message).encode()).hexdigest()
    return str(run.random_uuid(f"output\n{digest}"))
