"""
Takes what a graph streams at the moment it is made.

LangGraph keeps it in a queue, and looks there between steps: after the checkpoint of a step, so that a process killed
between the two would never show what the step did, since it is not done again. What it does about that by itself
(`stream_eager`) takes a task, a waiting task beside it and some twenty callbacks a step.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from langgraph.pregel import main as pregel

#: The namespace of the subgraph, the stream mode, and what it carries.
Chunk = tuple[tuple[str, ...], str, Any]

#: Takes a chunk. False leaves it to LangGraph as well, which gives it to whoever reads the stream.
Take = Callable[[Chunk], bool]

_Queue: Any = pregel.AsyncQueue  # type: ignore[attr-defined, unused-ignore]


class _Tap:
    def __init__(self, take: Take) -> None:
        self.take: Take | None = take


_tap: ContextVar[_Tap | None] = ContextVar("tap", default=None)


def tap_next_stream(take: Take) -> None:
    """Taps the stream of the graph that the task at hand begins next; those of graphs that its nodes call are not."""
    _tap.set(_Tap(take))


class _TappedQueue(_Queue):  # type: ignore[misc]
    """Everything is put into it on the loop of the run, whichever thread a node is in."""

    def __init__(self, take: Take) -> None:
        super().__init__()
        self._take = take

    def put_nowait(self, chunk: Chunk) -> None:
        if not self._take(chunk):
            super().put_nowait(chunk)


def _make_queue() -> Any:
    tap = _tap.get()
    if tap is None or tap.take is None:
        return _Queue()
    take, tap.take = tap.take, None
    return _TappedQueue(take)


pregel.AsyncQueue = _make_queue  # type: ignore[attr-defined, assignment, unused-ignore]
