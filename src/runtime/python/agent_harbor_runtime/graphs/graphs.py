"""The loaded graphs of `langgraph.json`, and a graph prepared for one run or request."""

from __future__ import annotations

import asyncio
import copy
import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.pregel import Pregel
from langgraph.store.base import BaseStore

from ..errors.runtime_error import GraphLoadError, describe_error
from ..errors.source_places import function_place, name_place
from ..loading.graph_entry import GraphEntry, parse_graph_path
from ..loading.load_graph import load_export
from ..protocol import GraphSource, GraphStatus, JsonObject, LoadedGraph, SourceLocation
from .blocking_suspects import seems_to_block
from .factory import AccessContext, call_factory

#: The name that LangGraph gives a graph that has none.
_DEFAULT_NAME = "LangGraph"

Graph = Pregel[Any, Any, Any, Any]


@dataclass(frozen=True)
class _Registered:
    """An export: a compiled graph, or a factory that makes one for each run or request."""

    entry: GraphEntry
    exported: Any


class Graphs:
    """The graphs of the project, loaded or failed."""

    def __init__(self, store: BaseStore) -> None:
        self._store = store
        self._graphs: dict[str, _Registered | BaseException] = {}

    def load(self, project_dir: Path, graphs: dict[str, GraphSource]) -> list[GraphStatus]:
        """Loads every graph; the failure of one does not affect the others."""
        return [self._load(project_dir, graph_id, source) for graph_id, source in graphs.items()]

    def blocking_suspects(self) -> list[str]:
        """Graphs whose asynchronous nodes seem to contain blocking calls."""
        return [
            graph_id
            for graph_id, registered in self._graphs.items()
            if isinstance(registered, _Registered)
            and isinstance(registered.exported, Pregel)
            and any(seems_to_block(function) for function in _node_functions(registered.exported).values())
        ]

    @asynccontextmanager
    async def open(
        self,
        graph_id: str,
        config: RunnableConfig,
        *,
        access: AccessContext,
        context: JsonObject | None = None,
    ) -> AsyncIterator[OpenGraph]:
        """Prepares a graph for one run or request. A factory is called now; if it returns a context
        manager, that manager is exited with this one. Raises GraphLoadError when there is no such
        graph or it did not load, and the factory's own errors.
        """
        registered = self._graphs.get(graph_id)
        if registered is None:
            raise GraphLoadError(f"Graph '{graph_id}' not found.")
        if isinstance(registered, BaseException):
            raise registered
        async with AsyncExitStack() as stack:
            made = registered.exported
            if not _is_graph(made):
                called = call_factory(made, config, access=access, store=self._store, context=context)
                made = await _enter(await called, stack)
            graph = _compile(made, registered.entry, "The return value of {}")
            yield OpenGraph(graph_id, graph, self._store, is_made=made is not registered.exported)

    def location(self, graph_id: str) -> SourceLocation | None:
        """Where the graph is exported; None if it did not load, or is given as a module."""
        registered = self._graphs.get(graph_id)
        if not isinstance(registered, _Registered) or registered.entry.file is None:
            return None
        return name_place(registered.entry.file, registered.entry.export)

    def _load(self, project_dir: Path, graph_id: str, source: GraphSource) -> GraphStatus:
        try:
            entry = parse_graph_path(project_dir, source["path"])
            exported = load_export(entry)
            if _is_graph(exported):
                exported = _compile(exported, entry, "{}")
            # Functions and callable objects are factories.
            elif inspect.isclass(exported) or not callable(exported):
                raise _no_graph(exported, entry, "{}")
        except Exception as error:
            self._graphs[graph_id] = error
            return {"status": "failed", "graph_id": graph_id, "error": describe_error(error)}
        self._graphs[graph_id] = _Registered(entry, exported)
        loaded: LoadedGraph = {"status": "loaded", "graph_id": graph_id, "nodes": node_places(exported)}
        if not _is_graph(exported):
            loaded["is_factory"] = True
        if entry.file is not None:
            loaded["location"] = name_place(entry.file, entry.export)
        if (description := source.get("description")) is not None:
            loaded["description"] = description
        return loaded


@dataclass(frozen=True)
class OpenGraph:
    """A graph that was opened for one run or request."""

    graph_id: str
    graph: Graph
    _store: BaseStore
    #: Whether a factory made the graph for this run or request.
    is_made: bool

    @property
    def is_repeatable(self) -> bool:
        """Whether a checkpoint always has the same state: a factory did not make the graph, and no
        channel is rebuilt from earlier checkpoints.
        """
        return not self.is_made and not any(
            kind.__name__ == "DeltaChannel"
            for channel in self.graph.channels.values()
            for kind in inspect.getmro(type(channel))
        )

    @property
    def serde(self) -> SerializerProtocol | None:
        """The serializer of the saver that the user compiled the graph with, if any."""
        saver = self.graph.checkpointer
        return saver.serde if isinstance(saver, BaseCheckpointSaver) else None

    def view(self, checkpointer: BaseCheckpointSaver[Any]) -> Graph:
        """The graph with this checkpointer and the server's store instead of those it was compiled with."""
        view = copy.copy(self.graph)
        view.checkpointer = checkpointer
        view.store = self._store
        if view.name == _DEFAULT_NAME:
            view.name = self.graph_id
        return view


def _is_graph(value: Any) -> bool:
    """Whether a value is a compiled graph or a builder, but not a class or function that makes one."""
    if inspect.isclass(value):
        return False
    return isinstance(value, Pregel) or callable(getattr(value, "compile", None))


def _compile(value: Any, entry: GraphEntry, what: str) -> Graph:
    """Compiles a builder; a compiled graph stays as it is. Raises GraphLoadError for other values.
    `what` names the value, with `{}` for the export.
    """
    if not isinstance(value, Pregel) and _is_graph(value):
        value = value.compile()
    if not isinstance(value, Pregel):
        raise _no_graph(value, entry, what)
    return value


def _no_graph(value: Any, entry: GraphEntry, what: str) -> GraphLoadError:
    kind = f"the class {value.__name__}" if inspect.isclass(value) else f"of type {type(value).__name__}"
    return GraphLoadError(
        f"{what.format(entry.what)} is {kind}, not a graph: export a compiled graph, a StateGraph, "
        "or a function that returns one."
    )


async def _enter(value: Any, stack: AsyncExitStack) -> Any:
    """Resolves the result of a factory: a graph, an awaitable or a context manager."""
    if _is_graph(value):
        return value
    if inspect.isawaitable(value):
        return await _enter(await value, stack)
    if hasattr(value, "__aenter__"):
        return await _enter(await stack.enter_async_context(value), stack)
    if hasattr(value, "__enter__"):
        entered = await asyncio.to_thread(value.__enter__)

        async def leave(*error: Any) -> bool | None:
            return await asyncio.to_thread(value.__exit__, *error)

        stack.push_async_exit(leave)
        return await _enter(entered, stack)
    return value


def _node_functions(graph: Graph) -> dict[str, Callable[..., Any]]:
    """The functions of the graph's own nodes. Nodes that are no functions are left out."""
    functions = {}
    for name, node in graph.nodes.items():
        bound = node.bound
        function = getattr(bound, "func", None) or getattr(bound, "afunc", None)
        if function is not None and not name.startswith("__"):
            functions[name] = function
    return functions


def node_places(exported: Any) -> dict[str, SourceLocation]:
    """Where the functions of a graph's nodes are defined; empty for a factory."""
    if not isinstance(exported, Pregel):
        return {}
    places = {name: function_place(function) for name, function in _node_functions(exported).items()}
    return {name: place for name, place in places.items() if place is not None}
