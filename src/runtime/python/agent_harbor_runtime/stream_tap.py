"""
Takes what a graph streams at the moment it is made.

LangGraph keeps it in a queue, and looks there between steps: after the checkpoint of a step, so that a process killed
between the two would never show what the step did, since it is not done again. What it does about that by itself
(`stream_eager`) takes a task, a waiting task beside it and some twenty callbacks a step.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from langgraph.pregel import main as pregel

#: The namespace of the subgraph, the stream mode, and what it carries.
Chunk = tuple[tuple[str, ...], str, Any]

#: Takes a chunk. False leaves it to LangGraph as well, which gives it to whoever reads the stream.
Take = Callable[[Chunk], bool]

#: None in a version of LangGraph that keeps its queue elsewhere: it is not part of the public interface.
_Queue: Any = getattr(pregel, "AsyncQueue", None)

CAN_TAP = _Queue is not None


class Tap:
    """What is to take the chunks of a stream."""

    def __init__(self, take: Take) -> None:
        self._take = take
        #: Whether the stream has begun, and its chunks are taken. Otherwise they are left to whoever reads it.
        self.is_on = False

    def open(self) -> Take:
        self.is_on = True
        return self._take


_tap: ContextVar[Tap | None] = ContextVar("tap", default=None)


def tap_next_stream(take: Take) -> Tap:
    """Taps the stream of the graph that the task at hand begins next; those of graphs that its nodes call are not."""
    tap = Tap(take)
    _tap.set(tap)
    return tap


class _TappedQueue(_Queue if CAN_TAP else asyncio.Queue):  # type: ignore[misc]
    """Everything is put into it on the loop of the run, whichever thread a node is in."""

    def __init__(self, take: Take) -> None:
        super().__init__()
        self._take = take

    def put_nowait(self, chunk: Chunk) -> None:
        if not self._take(chunk):
            super().put_nowait(chunk)


def _make_queue() -> Any:
    tap = _tap.get()
    return _Queue() if tap is None or tap.is_on else _TappedQueue(tap.open())


if CAN_TAP:
    pregel.AsyncQueue = _make_queue  # type: ignore[attr-defined, assignment, unused-ignore]
