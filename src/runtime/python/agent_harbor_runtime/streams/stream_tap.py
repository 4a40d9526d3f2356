"""Takes the chunks of a graph's stream when they are produced.
LangGraph puts them into a queue that it reads between supersteps, after the checkpoint of a
superstep. If the process is killed in between, the events of that superstep are lost, because it
does not run again. LangGraph's own option against this (`stream_eager`) costs two tasks and some
twenty callbacks per superstep.
"""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import Any, Protocol

from langgraph.pregel import main as pregel

#: The namespace of the subgraph, the stream mode, and the payload.
Chunk = tuple[tuple[str, ...], str, Any]


class Taker(Protocol):
    """Takes the chunks of a graph."""

    def take(self, chunk: Chunk) -> bool:
        """Takes a chunk. Returns False if readers of the stream should get it, too."""

    def check(self) -> None:
        """Called between supersteps. Raises the error that the graph should end with."""


#: LangGraph's queue, which is not part of its public interface; None in versions without it.
_Queue: Any = getattr(pregel, "AsyncQueue", None)

#: Whether LangGraph makes the queue of a stream with the name that is replaced below.
CAN_TAP = _Queue is not None and "AsyncQueue" in pregel.Pregel.astream.__code__.co_names


class Tap:
    """Connects a stream with the taker of its chunks."""

    def __init__(self, taker: Taker) -> None:
        self._taker = taker
        #: Whether the stream has begun, and its chunks are taken. Otherwise, readers of the stream
        #: get them.
        self.is_on = False

    def open(self) -> Taker:
        """Called when the stream begins."""
        self.is_on = True
        return self._taker


_tap: ContextVar[Tap | None] = ContextVar("tap", default=None)


def tap_next_stream(taker: Taker) -> Tap:
    """Taps the stream of the next graph that the current task starts, but not those of graphs that
    its nodes call.
    """
    tap = Tap(taker)
    _tap.set(tap)
    return tap


class _TappedQueue(_Queue if CAN_TAP else asyncio.Queue):  # type: ignore[misc]
    """A queue whose chunks are tapped. LangGraph adds chunks on the loop of the run, even if a node runs
    on another thread.
    """

    def __init__(self, taker: Taker) -> None:
        super().__init__()
        self._taker = taker

    def put_nowait(self, chunk: Chunk) -> None:
        if not self._taker.take(chunk):
            super().put_nowait(chunk)

    def get_nowait(self) -> Any:
        self._taker.check()
        return super().get_nowait()


def _make_queue() -> Any:
    """Makes the queue of a stream that begins. Only the first one after a tap was set is tapped."""
    tap = _tap.get()
    return _Queue() if tap is None or tap.is_on else _TappedQueue(tap.open())


if CAN_TAP:
    pregel.AsyncQueue = _make_queue  # type: ignore[attr-defined, assignment, unused-ignore]
