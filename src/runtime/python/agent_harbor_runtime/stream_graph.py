"""Runs a graph to its end, and streams what it says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.pregel import Pregel

from .graphs import Graph
from .protocol import StreamMode
from .run_events import RunEvents
from .stream_events import StreamEvents, library_modes
from .stream_tap import CAN_TAP, Chunk, tap_next_stream
from .stream_transformers import has_transformers, run_transformers

_HIDDEN = "langsmith:hidden"


@dataclass(frozen=True)
class GraphStream:
    """A graph, what it is run with, and where its stream goes."""

    run_id: str
    #: With the checkpointer of the run.
    graph: Graph
    input: Any
    config: RunnableConfig
    #: Of LangGraph's `astream`, beside the modes.
    options: dict[str, Any]
    modes: Sequence[StreamMode]
    #: Whether the client asked for what subgraphs stream.
    subgraphs: bool
    events: RunEvents
    #: Whether the run was told to stop.
    is_stopped: Callable[[], bool]


async def stream_graph(run: GraphStream) -> None:
    """Raises what the graph raises, or MessageTooLargeError."""
    streamed = StreamEvents(run.modes, run.events)
    if "extensions" in run.modes and has_transformers(run.graph):
        await _stream_transformed(run, streamed)
    elif "events" in run.modes:
        await _stream_callback_events(run, streamed)
    else:
        await _stream_chunks(run, streamed)


async def _stream_chunks(run: GraphStream, streamed: StreamEvents) -> None:
    """Streams the requested modes as the graph makes them."""
    events, modes = run.events, library_modes(run.modes)
    failure: Exception | None = None

    def take(chunk: Chunk) -> bool:
        nonlocal failure
        namespace, mode, payload = chunk
        if failure is None and mode in modes and not run.is_stopped():
            try:
                streamed.chunk(namespace if run.subgraphs else (), mode, payload)
            except Exception as error:
                # The run fails with it, and not the node whose event it is.
                failure = error
        # The graph waits for whoever reads what is left to it.
        return failure is None and not events.are_congested

    # A class of the user's own may make more of its stream, which then has to be read.
    is_own = type(run.graph).astream is not Pregel.astream
    tap = tap_next_stream(take) if CAN_TAP and not is_own else None
    if tap is None:
        run.graph.stream_eager = True
    options = {**run.options, "stream_mode": modes, "subgraphs": run.subgraphs}
    left: Any = run.graph.astream(run.input, run.config, **options)
    async with aclosing(left):
        async for chunk in left:
            if failure is not None:
                break
            if tap is None or not tap.is_on:
                _forward(run, streamed, chunk)
            await events.catch_up()
    if failure is not None:
        raise failure


async def _stream_callback_events(run: GraphStream, streamed: StreamEvents) -> None:
    """Streams the events of LangChain's callbacks (the mode `events`), among which are the chunks of the graph."""
    run.graph.stream_eager = True  # They come between two steps otherwise.
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
                streamed.event(event)
            await run.events.catch_up()


async def _stream_transformed(run: GraphStream, streamed: StreamEvents) -> None:
    """Streams the requested modes, and what the graph's own transformers make of its stream."""

    async def forward(namespace: tuple[str, ...], mode: str, payload: Any) -> None:
        streamed.chunk(namespace, mode, payload)
        await run.events.catch_up()

    run.graph.stream_eager = True  # They come between two steps otherwise.
    await run_transformers(
        run.graph,
        run.input,
        run.config,
        run.options,
        modes=library_modes(run.modes),
        forward=forward,
        emit=streamed.extension,
    )


def _forward(run: GraphStream, streamed: StreamEvents, chunk: Any) -> None:
    """A chunk begins with the namespace of its subgraph only where the chunks of subgraphs were asked for."""
    streamed.chunk(*(chunk if run.subgraphs else ((), *chunk)))
