"""Runs a graph to its end, and streams its output."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.pregel import Pregel

from ..costs.cost_caps import cap_refusal
from ..graphs.graphs import Graph
from ..link.run_events import RunEvents
from ..protocol import StreamMode
from .stream_events import StreamEvents, library_modes
from .stream_tap import CAN_TAP, Chunk, tap_next_stream
from .stream_transformers import has_transformers, run_transformers

_HIDDEN = "langsmith:hidden"


@dataclass(frozen=True)
class GraphStream:
    """A graph, its input and config, and where its stream goes."""

    run_id: str
    #: The graph with the checkpointer of the run.
    graph: Graph
    input: Any
    config: RunnableConfig
    #: Options of LangGraph's `astream`, besides the modes.
    options: dict[str, Any]
    modes: Sequence[StreamMode]
    #: Whether the client asked for the streams of subgraphs.
    subgraphs: bool
    events: RunEvents
    #: Whether the run was told to stop.
    is_stopped: Callable[[], bool]


async def stream_graph(run: GraphStream) -> None:
    """Runs a graph to its end. Raises the graph's own error, or MessageTooLargeError."""
    streamed = StreamEvents(run.modes, run.events)
    if "extensions" in run.modes and has_transformers(run.graph):
        await _stream_transformed(run, streamed)
    elif "events" in run.modes:
        await _stream_callback_events(run, streamed)
    else:
        await _stream_chunks(run, streamed)


class _ChunkTaker:
    """Sends the chunks of a graph when they are produced."""

    def __init__(self, run: GraphStream, streamed: StreamEvents) -> None:
        self._run = run
        self._streamed = streamed
        self._modes = library_modes(run.modes)
        self._failure: Exception | None = None
        #: Whether the stream has ended. Threads that a run could not stop may still produce chunks.
        self.is_over = False

    def take(self, chunk: Chunk) -> bool:
        """Sends a chunk. Returns False if the graph's own stream should get it, too."""
        run = self._run
        if self.is_over or run.is_stopped():
            return True
        namespace, mode, payload = chunk
        if self._failure is None and mode in self._modes:
            try:
                self._streamed.send_chunk(namespace if run.subgraphs else (), mode, payload)
            except Exception as error:
                # The whole run has to fail, not just the node that produced the chunk.
                self._failure = error
        # If this is false, the chunk also goes to the graph's own stream, and the graph waits until
        # that is read.
        return self._failure is None and not run.events.are_congested

    def check(self) -> None:
        """Raises what ended the stream, if anything has."""
        if self._failure is not None:
            raise self._failure
        # A node may have treated the cancellation as its own, and continued.
        if self._run.is_stopped():
            raise cap_refusal() or asyncio.CancelledError()


async def _stream_chunks(run: GraphStream, streamed: StreamEvents) -> None:
    """Streams the chunks of the requested modes when the graph produces them."""
    taker = _ChunkTaker(run, streamed)
    tap = tap_next_stream(taker) if CAN_TAP and _is_plain(run.graph) else None
    if tap is None:
        run.graph.stream_eager = True
    options = {**run.options, "stream_mode": library_modes(run.modes), "subgraphs": run.subgraphs}
    stream: Any = run.graph.astream(run.input, run.config, **options)
    try:
        async with aclosing(stream):
            async for chunk in stream:
                # With a tap, the chunk has already been sent, and is only read to wait for the server.
                if tap is None or not tap.is_on:
                    _forward(run, streamed, chunk)
                await run.events.catch_up()
    finally:
        taker.is_over = True


def _is_plain(graph: Graph) -> bool:
    """Whether the stream of a graph can be tapped. In debug mode LangGraph prints it, and a subclass may
    change it.
    """
    return not graph.debug and getattr(graph.astream, "__func__", None) is Pregel.astream


async def _stream_callback_events(run: GraphStream, streamed: StreamEvents) -> None:
    """Streams the events of LangChain's callbacks (the mode `events`), which include the chunks of
    the graph.
    """
    run.graph.stream_eager = True  # Otherwise, chunks arrive only between supersteps.
    stream: Any = run.graph.astream_events(
        run.input,
        run.config,
        version="v2",
        stream_mode=library_modes(run.modes),
        subgraphs=run.subgraphs,
        **run.options,
    )
    async with aclosing(stream):
        async for event in stream:
            if _HIDDEN in (event.get("tags") or ()):
                continue
            if event["event"] == "on_chain_stream" and event["run_id"] == run.run_id:
                _forward(run, streamed, event["data"]["chunk"])
            else:
                streamed.send_event(event)
            await run.events.catch_up()


async def _stream_transformed(run: GraphStream, streamed: StreamEvents) -> None:
    """Streams the requested modes, and the output of the graph's own transformers."""

    async def forward(namespace: tuple[str, ...], mode: str, payload: Any) -> None:
        streamed.send_chunk(namespace, mode, payload)
        await run.events.catch_up()

    run.graph.stream_eager = True  # Otherwise, chunks arrive only between supersteps.
    await run_transformers(
        run.graph,
        run.input,
        run.config,
        run.options,
        modes=library_modes(run.modes),
        forward=forward,
        emit=streamed.send_extension,
    )


def _forward(run: GraphStream, streamed: StreamEvents, chunk: Any) -> None:
    """Passes a chunk on. It begins with a namespace only if the chunks of subgraphs were requested."""
    streamed.send_chunk(*(chunk if run.subgraphs else ((), *chunk)))
