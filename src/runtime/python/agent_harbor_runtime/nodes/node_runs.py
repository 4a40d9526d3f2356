"""Runs single nodes, with their recorded input or another one, and stores nothing."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from langgraph.checkpoint.base import CheckpointTuple as SavedCheckpoint
from pydantic import ValidationError

from ..checkpoints.checkpointer import HarborCheckpointer
from ..checkpoints.task_result import ERROR, INTERRUPT, task_result
from ..context.in_process import current_user, user_of
from ..errors.runtime_error import describe_error
from ..graphs.graphs import Graph, Graphs, OpenGraph
from ..graphs.run_config import context_of, thread_config
from ..link.connection import Connection
from ..link.json_text import from_json, to_json
from ..protocol import CheckpointRef, NodeInput, NodeParams, NodeResult, NodeRunParams
from .edited_input import edited_input
from .recorded_task import RecordedTask, recorded_task
from .run_alone import LoneNode, LoneRun, run_alone


class NodeError(Exception):
    """The current graph has no such node, or the input is missing or invalid."""


@dataclass(frozen=True)
class _Prepared:
    """A node of an opened graph, with its task in the checkpoint of the request."""

    #: Contains the node: the root graph or a subgraph.
    opened: OpenGraph
    saved: SavedCheckpoint | None
    task: RecordedTask | None


class NodeRuns:
    """The runs of single nodes in this process."""

    def __init__(self, connection: Connection, graphs: Graphs) -> None:
        self._connection = connection
        self._graphs = graphs
        self._lock = threading.Lock()
        self._active: dict[str, tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = {}

    async def read_input(self, params: NodeParams) -> NodeInput:
        """Reads the recorded input and writes of a node. Raises NodeError when the graph no longer has
        such a node.
        """
        async with self._prepare(params) as prepared:
            task = prepared.task
            if task is None:
                return {"input": None, "recorded": None}
            return {
                "input": None if task.input is None else to_json(task.input),
                "recorded": task_result(task.writes) if task.writes else None,
            }

    async def run(self, params: NodeRunParams) -> NodeResult:
        """Runs a node. Errors of the node are part of the result. Raises NodeError when the graph no
        longer has such a node, or no input for it is known.
        """
        own = asyncio.current_task()
        assert own is not None
        with self._lock:
            self._active[params["run_id"]] = asyncio.get_running_loop(), own
        current_user.set(user_of(params["node"]["config"].get("configurable") or {}))
        try:
            return await self._run(params["node"], params["input"])
        except asyncio.CancelledError:
            own.uncancel()
            return {"status": "cancelled", "result": "{}", "is_command": False}
        finally:
            with self._lock:
                self._active.pop(params["run_id"], None)

    def cancel(self, run_id: str) -> None:
        """Cancels the run of a node. Unknown runs are ignored."""
        with self._lock:
            active = self._active.get(run_id)
        if active is not None:
            loop, task = active
            loop.call_soon_threadsafe(task.cancel)

    async def _run(self, params: NodeParams, given: str | None) -> NodeResult:
        async with self._prepare(params) as prepared:
            opened, saved, task = prepared.opened, prepared.saved, prepared.task
            node = params["node"]
            recorded = None if task is None else task.input
            if given is None and recorded is None:
                raise NodeError(f"The input of node '{node}' was not recorded. Enter it as JSON.")
            is_sent = task is not None and task.is_sent
            value = _convert_input(opened.graph, node, given=given, recorded=recorded, is_sent=is_sent)
            config = thread_config(params["config"], params["thread_id"])
            config["run_name"] = f"{node} (alone)"
            config["metadata"] = {"graph_id": params["graph_id"]}
            run = await run_alone(
                LoneNode(
                    opened=opened,
                    node=node,
                    input=value,
                    checkpoint=None if saved is None else saved.checkpoint,
                    metadata={} if saved is None else {**saved.metadata},
                    answers=[] if task is None else task.answers,
                    config=config,
                    context=context_of(params["context"], opened.graph),
                )
            )
            return _result(run)

    @asynccontextmanager
    async def _prepare(self, params: NodeParams) -> AsyncIterator[_Prepared]:
        """Opens the graph, and finds the node and its recorded task. Raises NodeError when the graph no
        longer has such a node.
        """
        graph_id, node, namespace = params["graph_id"], params["node"], params["checkpoint_ns"]
        start = params["start_from"]
        config = thread_config(params["config"], params["thread_id"])
        async with self._graphs.open(
            graph_id, config, access="threads.create_run", context=params["context"]
        ) as opened:
            owner = await _owner(opened.graph, namespace)
            if owner is None:
                raise NodeError(f"Graph '{graph_id}' no longer has a subgraph at '{_names(namespace)}'.")
            names = [name for name in owner.nodes if name != "__start__"]
            if node not in names:
                place = f"Graph '{graph_id}'" if namespace == "" else f"This subgraph of '{graph_id}'"
                raise NodeError(f"{place} no longer has a node '{node}'. Its nodes: {', '.join(names)}.")
            inner = replace(opened, graph=owner)
            if start is None:
                yield _Prepared(inner, None, None)
                return
            checkpointer = HarborCheckpointer(
                self._connection,
                thread_id=params["thread_id"],
                run_id=None,
                metadata={},
                serde=opened.serde,
            )
            checkpointer.preload(start, is_newest=False)
            started: CheckpointRef = {"checkpoint_ns": namespace, "checkpoint_id": start["checkpoint_id"]}
            at = thread_config(params["config"], params["thread_id"], started)
            snapshot = await opened.view(checkpointer).aget_state(at)
            saved = await checkpointer.aget_tuple(at)
            task = None if saved is None else recorded_task(owner, params, saved, snapshot)
            yield _Prepared(inner, saved, task)


def _convert_input(graph: Graph, node: str, *, given: str | None, recorded: Any, is_sent: bool) -> Any:
    """The input of a node: the given JSON, or else the recorded input. It is converted to the class
    that the node takes, unless it came with a `Send`. Raises NodeError when it is not valid.
    """
    try:
        value = recorded if given is None else edited_input(from_json(given), recorded)
        mapper = graph.nodes[node].mapper
        return value if mapper is None or is_sent or not isinstance(value, dict) else mapper(value)
    except ValidationError as error:
        wrong = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()]
        raise NodeError(f"The input is not valid for node '{node}'. {'; '.join(wrong)}") from error
    except Exception as error:
        raise NodeError(f"The input is not valid for node '{node}'. {error}") from error


def _result(run: LoneRun) -> NodeResult:
    if run.error is not None:
        described = describe_error(run.error)
        own = [write for write in run.writes if write[0] != ERROR]
        result = task_result([*own, (ERROR, run.error)])
        return {"status": "error", "result": result, "is_command": run.is_command, "error": described}
    asks = any(channel == INTERRUPT for channel, _ in run.writes)
    return {
        "status": "interrupted" if asks else "success",
        "result": task_result(run.writes),
        "is_command": run.is_command,
    }


async def _owner(graph: Graph, namespace: str) -> Graph | None:
    """Finds the graph or subgraph whose checkpoints have this namespace."""
    if namespace == "":
        return graph
    wanted = _names(namespace)
    async for name, subgraph in graph.aget_subgraphs(namespace=wanted, recurse=True):
        if name == wanted:
            return subgraph  # type: ignore[return-value]
    return None


def _names(namespace: str) -> str:
    """The nodes that a namespace leads through: `node:task|inner:task` as `node|inner`."""
    parts = [part for part in namespace.split("|") if not re.fullmatch(r"\d+", part)]
    return "|".join(part.split(":")[0] for part in parts)
