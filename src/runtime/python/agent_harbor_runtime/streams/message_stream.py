"""Makes the events of the stream mode `messages` from LangGraph's message chunks and the messages
of the state. For each message, these are the metadata once (`messages/metadata`), then the message
as it grows (`messages/partial`, cumulative), then the whole message (`messages/complete`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_core.messages import BaseMessage, BaseMessageChunk, message_chunk_to_message


class MessageStream:
    """The messages of one run, growing or complete."""

    def __init__(self, emit: Callable[[str, Any], None]) -> None:
        self._emit = emit
        self._growing: dict[str, BaseMessage] = {}
        #: The IDs of the messages that have been sent whole.
        self._complete: set[str] = set()

    def chunk(self, message: Any, metadata: Any) -> None:
        """Takes a chunk of LangGraph's mode `messages`."""
        if not isinstance(message, BaseMessage) or message.id is None:
            return
        if message.id in self._complete:
            return  # A model that was not awaited may still stream.
        before = self._growing.get(message.id)
        if before is None:
            self._emit("messages/metadata", {message.id: {"metadata": metadata}})
        if not isinstance(message, BaseMessageChunk):
            self._growing[message.id] = message
            self._emit_complete([message])
            return
        grown = before + message if isinstance(before, BaseMessageChunk) else message
        if isinstance(grown, BaseMessageChunk):
            self._growing[message.id] = grown
            self._emit("messages/partial", [message_chunk_to_message(grown)])

    def values(self, values: Any) -> None:
        """Takes the state after a superstep, and emits messages in it that have not been reported
        whole yet.
        """
        messages = values.get("messages") if isinstance(values, dict) else getattr(values, "messages", None)
        candidates = messages if isinstance(messages, list) else [messages]
        self._emit_complete([message for message in candidates if isinstance(message, BaseMessage)])

    def _emit_complete(self, messages: list[BaseMessage]) -> None:
        fresh = [message for message in messages if message.id and message.id not in self._complete]
        self._complete.update(message.id for message in fresh if message.id)
        if fresh:
            self._emit("messages/complete", fresh)
