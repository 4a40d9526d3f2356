"""Converts the chunks of a graph's stream to client events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from langgraph import types as langgraph_types
from langgraph.pregel import Pregel

from ..checkpoints.task_result import INTERRUPT
from ..exchanges.output_ids import add_ids_to_output, add_ids_to_update
from ..link.run_events import RunEvents
from ..protocol import StreamMode
from ..states.state_format import wire_checkpoint, wire_task
from .message_stream import MessageStream

#: `tools`, which LangGraph 1.2 streams, is not in its type `StreamMode`.
_UNLISTED_MODES = frozenset({"tools"}.intersection(Pregel.astream.__code__.co_consts))
_LIBRARY_MODES = frozenset(get_args(langgraph_types.StreamMode)) | _UNLISTED_MODES


def library_modes(modes: Sequence[StreamMode]) -> list[str]:
    """The modes that LangGraph has to stream for the requested ones. Modes that this version of
    LangGraph lacks are left out.
    """
    needed: set[str] = set()
    for mode in modes:
        if mode == "messages-tuple":
            needed.add("messages")
        elif mode == "messages":
            needed.update(("messages", "values"))
        elif mode == "values":
            needed.update(("values", "updates"))  # Interrupts arrive as updates in every version.
        elif mode not in ("events", "extensions"):
            needed.add(mode)
    return sorted(needed & _LIBRARY_MODES)


class StreamEvents:
    """Sends the requested modes of one run's stream."""

    def __init__(self, modes: Sequence[StreamMode], events: RunEvents) -> None:
        self._modes = frozenset(modes)
        self._events = events
        self._messages = MessageStream(events.emit) if "messages" in self._modes else None
        self._values: dict[tuple[str, ...], Any] = {}
        self._interrupts: dict[tuple[str, ...], list[Any]] = {}

    def send_chunk(self, namespace: tuple[str, ...], mode: str, payload: Any) -> None:
        """Sends the events for a chunk of a mode that LangGraph was asked for. `namespace` is the
        subgraph's; empty for the root graph.
        """
        if mode == "custom":
            # This mode has by far the most events.
            self._send(mode, namespace, payload)
            return
        match mode:
            case "values":
                self._send_values(namespace, payload)
            case "updates":
                if "updates" in self._modes:
                    add_ids_to_update(payload)
                    self._send("updates", namespace, payload)
                # Breakpoints have an empty list of interrupts.
                if "values" in self._modes and isinstance(payload, dict) and payload.get(INTERRUPT):
                    self._send_interrupts(namespace, payload[INTERRUPT])
            case "messages":
                message, metadata = payload
                if isinstance(message, dict):  # A message event of a version 3 stream.
                    self._send("message-events", namespace, payload)
                    return
                if self._messages is not None:
                    self._messages.chunk(message, metadata)
                if "messages-tuple" in self._modes:
                    self._send("messages", namespace, payload)
            case "checkpoints":
                self._send(mode, namespace, wire_checkpoint(payload))
            case "tasks":
                add_ids_to_output(payload.get("result"))
                self._send(mode, namespace, wire_task(payload))
            case "debug":
                inner = payload["payload"]
                add_ids_to_output(inner.get("result"))
                wire = wire_checkpoint(inner) if payload["type"] == "checkpoint" else wire_task(inner)
                self._send(mode, namespace, {**payload, "payload": wire})
            case _:
                self._send(mode, namespace, payload)

    def send_extension(self, namespace: Sequence[str], name: str, payload: Any) -> None:
        """Sends a value of one of the graph's own stream transformers."""
        self._send("extensions", tuple(namespace), {"name": name, "payload": payload})

    def send_event(self, event: Any) -> None:
        """Sends an event of the mode `events`."""
        self._events.emit("events", event)

    def _send_values(self, namespace: tuple[str, ...], payload: Any) -> None:
        if isinstance(payload, dict) and INTERRUPT in payload:
            return  # Newer versions also send interrupts here; `_send_interrupts` does for all versions.
        self._values[namespace] = payload
        if self._messages is not None and not namespace:
            self._messages.values(payload)
        if "values" in self._modes:
            self._send("values", namespace, payload)

    def _send_interrupts(self, namespace: tuple[str, ...], interrupts: Any) -> None:
        """Sends interrupts together with the state, as clients expect."""
        known = self._interrupts.setdefault(namespace, [])
        known.extend(interrupts)
        values = self._values.get(namespace)
        self._send("values", namespace, {**(values if isinstance(values, dict) else {}), INTERRUPT: known})

    def _send(self, name: str, namespace: tuple[str, ...], data: Any) -> None:
        self._events.emit("|".join((name, *namespace)) if namespace else name, data)
