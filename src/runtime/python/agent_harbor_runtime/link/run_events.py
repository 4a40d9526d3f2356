"""The events of one run, on their way to the server."""

from __future__ import annotations

import asyncio
from typing import Any

from .connection import Connection, MessageTooLargeError
from .json_text import to_json

#: The most events that are collected before they are sent.
_MAX_COLLECTED_EVENTS = 256
#: The most characters that are collected before they are sent. One event may add
#: `_MAX_EVENT_CHARS` to them.
_MAX_COLLECTED_CHARS = 16 << 20
#: The most characters of one event. Escaped in its message, the event may have twice as many.
_MAX_EVENT_CHARS = 200_000_000
_CONGESTION_PAUSE_S = 0.005


class RunEvents:
    """Collects the events of a run during one turn of its event loop, and sends them as one
    notification.
    """

    def __init__(self, connection: Connection, run_id: str) -> None:
        self._connection = connection
        self._run_id = run_id
        self._loop = asyncio.get_running_loop()
        self._events: list[tuple[str, str]] = []
        self._chars = 0
        self._is_scheduled = False

    def emit(self, name: str, data: Any) -> None:
        """Adds an event. Raises MessageTooLargeError."""
        text = to_json(data)
        if len(text) > _MAX_EVENT_CHARS:
            raise MessageTooLargeError(
                f"An event of the stream mode '{name}' is larger than {_MAX_EVENT_CHARS // 1_000_000} MB as JSON. "
                "Keep large data in files or in the store, and only a reference in the state."
            )
        self._events.append((name, text))
        self._chars += len(text)
        if len(self._events) >= _MAX_COLLECTED_EVENTS or self._chars > _MAX_COLLECTED_CHARS:
            self.send()
            self._connection.write_now()
        elif not self._is_scheduled:
            self._is_scheduled = True
            self._loop.call_soon(self._end_turn)

    def _end_turn(self) -> None:
        self._is_scheduled = False
        self.send()

    def send(self) -> None:
        """Sends the collected events, without waiting for the end of the turn."""
        if self._events:
            events, self._events = self._events, []
            self._chars = 0
            self._connection.notify("run.events", {"run_id": self._run_id, "events": events})

    def send_before_checkpoint(self) -> None:
        """Sends the collected events before a checkpoint of the run. Does nothing on other threads:
        their checkpoints belong to subgraphs, whose events do not come from those threads.
        """
        if asyncio._get_running_loop() is self._loop:
            self.send()

    @property
    def are_congested(self) -> bool:
        """Whether the server reads more slowly than the graph writes. This is read for each event,
        so it must be cheap.
        """
        return self._connection.congested

    async def catch_up(self) -> None:
        """Waits while the server reads more slowly than the graph writes."""
        while self._connection.congested:
            await asyncio.sleep(_CONGESTION_PAUSE_S)
