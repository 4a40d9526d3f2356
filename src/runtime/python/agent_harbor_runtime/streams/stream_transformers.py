"""The transformers that a graph was compiled with (`compile(transformers=[...])`), run by LangGraph
itself in its streams of version 3. Versions before 1.2 have none.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig

from ..graphs.graphs import Graph

#: LangGraph's prefix for the events of a transformer's channel.
_CHANNEL = "custom:"

Forward = Callable[[tuple[str, ...], str, Any], Awaitable[None]]
Emit = Callable[[Sequence[str], str, Any], None]


def has_transformers(graph: Graph) -> bool:
    """Whether a graph was compiled with transformers."""
    return bool(getattr(graph, "stream_transformers", ()))


async def run_transformers(
    graph: Graph,
    graph_input: Any,
    config: RunnableConfig,
    options: dict[str, Any],
    *,
    modes: Sequence[str],
    forward: Forward,
    emit: Emit,
) -> None:
    """Runs a graph and its transformers to the end of both.
    `forward` gets the chunks of the graph's stream (namespace, mode, payload), `emit` the values
    of its transformers with the names of their extensions. Raises the error of the graph or a
    transformer.
    """
    from langgraph.stream import StreamTransformer

    class Forwarding(StreamTransformer):
        """Forwards all events, before other transformers filter them."""

        before_builtins = True
        required_stream_modes = tuple(modes)

        def init(self) -> dict[str, Any]:
            return {}

        async def aprocess(self, event: Any) -> bool:
            # The transformer of the root also gets the events of subgraphs.
            if not self.scope and event["method"] in modes:
                params = event["params"]
                await forward(tuple(params["namespace"]), event["method"], params["data"])
            return True

    starting: Any = graph.astream_events(
        graph_input, config, version="v3", transformers=[Forwarding], **options
    )
    async with await starting as stream:
        async for event in stream:
            method: str = event["method"]
            if method.startswith(_CHANNEL):
                params = event["params"]
                emit(params["namespace"], method.removeprefix(_CHANNEL), params["data"])
