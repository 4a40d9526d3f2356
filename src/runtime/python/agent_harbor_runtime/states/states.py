"""States of threads, read by the user's own LangGraph."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from langgraph.types import StateSnapshot
from langgraph.types import StateUpdate as LangGraphUpdate

from ..checkpoints.checkpointer import HarborCheckpointer
from ..checkpoints.state_writes import Write, update_writes, writes_of
from ..graphs.graphs import Graphs, OpenGraph
from ..graphs.run_config import thread_config, to_command
from ..langgraph.versions import LANGGRAPH_VERSION
from ..link.connection import Connection
from ..link.json_text import to_json
from ..protocol import (
    CheckpointTuple,
    JsonObject,
    StateGetParams,
    StateHistoryParams,
    StateHistoryResult,
    StateResult,
    StateUpdate,
    StateUpdateParams,
    StateUpdateResult,
)
from .state_format import SnapshotWrites, checkpoint_of, nested_snapshot, summarize, wire_snapshot


class States:
    """Answers requests to read and update the states of threads."""

    def __init__(self, connection: Connection, graphs: Graphs) -> None:
        self._connection = connection
        self._graphs = graphs

    async def get(self, params: StateGetParams) -> StateResult:
        """The state at a checkpoint. The writes that led to it are added if the checkpoints before it
        were passed.
        """
        config = thread_config(params["config"], params["thread_id"], params["checkpoint"])
        async with self._graphs.open(params["graph_id"], config, access="threads.read") as opened:
            checkpointer = self._make_checkpointer(opened, params["thread_id"])
            is_named = (params["checkpoint"] or {}).get("checkpoint_id") is not None
            checkpointer.preload(params["start_from"], is_newest=not is_named)
            snapshot = await opened.view(checkpointer).aget_state(config, subgraphs=params["subgraphs"])
            start, parents = params["start_from"], params.get("parents")
            if start is None or parents is None:
                return {"state": to_json(wire_snapshot(snapshot))}
            shown = await self._snapshots(opened, params, parents)
            parent = shown[0] if shown else None
            writes = {start["checkpoint_id"]: writes_of(snapshot, start, parent, checkpointer.serde)}
            await self._add_nested(opened, params, snapshot, writes)
            return {"state": to_json(wire_snapshot(snapshot, writes))}

    async def _add_nested(
        self, opened: OpenGraph, params: StateGetParams, snapshot: StateSnapshot, writes: SnapshotWrites
    ) -> None:
        """Adds the writes of the subgraphs that a snapshot's tasks run. Their checkpoints have to
        be requested.
        """
        for nested in map(nested_snapshot, snapshot.tasks):
            place = None if nested is None else checkpoint_of(nested.config)
            if nested is None or place is None or place["checkpoint_id"] is None:
                continue
            saved = await self._request_checkpoint(place, place["checkpoint_id"])
            if saved is None:
                continue
            parent_id = saved["parent_checkpoint_id"]
            made_by_step = parent_id is not None and saved["metadata"].get("source") == "loop"
            parent = await self._request_checkpoint(place, parent_id) if made_by_step else None
            shown = [] if parent is None else await self._snapshots(opened, params, [parent])
            serde = self._make_checkpointer(opened, params["thread_id"]).serde
            writes[saved["checkpoint_id"]] = writes_of(nested, saved, shown[0] if shown else None, serde)
            await self._add_nested(opened, params, nested, writes)

    async def _request_checkpoint(
        self, place: dict[str, Any], checkpoint_id: str | None
    ) -> CheckpointTuple | None:
        """Requests a checkpoint of the subgraph at a place; None if there is none."""
        where = {name: place[name] for name in ("thread_id", "checkpoint_ns")}
        request = self._connection.request("checkpoints.get", {**where, "checkpoint_id": checkpoint_id})
        found: CheckpointTuple | None = (await asyncio.wrap_future(request))["tuple"]
        return found

    async def read_history(self, params: StateHistoryParams) -> StateHistoryResult:
        """The states at the passed checkpoints, with the writes that led to them if the checkpoints
        before them were passed.
        """
        tuples, parents = params["tuples"], params.get("parents")
        config = thread_config(params["config"], params["thread_id"])
        async with self._graphs.open(params["graph_id"], config, access="threads.read") as opened:
            if parents is None:
                shown = await self._snapshots(opened, params, tuples)
                return {"states": [to_json(wire_snapshot(state)) for state in shown]}
            serde = self._make_checkpointer(opened, params["thread_id"]).serde
            shown = await self._snapshots(opened, params, [*tuples, *parents])
            by_id = {state.config["configurable"]["checkpoint_id"]: state for state in shown}
            states: list[str] = []
            for saved in tuples:
                state = by_id[saved["checkpoint_id"]]
                parent = by_id.get(saved["parent_checkpoint_id"])
                writes = {saved["checkpoint_id"]: writes_of(state, saved, parent, serde)}
                states.append(to_json(wire_snapshot(state, writes)))
            return {"states": states, "repeatable": opened.is_repeatable}

    async def update(self, params: StateUpdateParams) -> StateUpdateResult:
        """Adds checkpoints with updates. Returns the last one's place, and the thread's newest state."""
        config = thread_config(params["config"], params["thread_id"], params["checkpoint"])
        async with self._graphs.open(params["graph_id"], config, access="threads.update") as opened:
            metadata = {
                **(params["config"].get("metadata") or {}),
                "graph_id": params["graph_id"],
                "thread_id": params["thread_id"],
            }
            if LANGGRAPH_VERSION is not None:
                metadata["langgraph_version"] = LANGGRAPH_VERSION
            updates = update_writes(params["supersteps"])
            checkpointer = self._make_checkpointer(opened, params["thread_id"], metadata, updates)
            graph = opened.view(checkpointer)
            supersteps = [[_to_update(update) for update in superstep] for superstep in params["supersteps"]]
            place: Any = (await graph.abulk_update_state(config, supersteps))["configurable"]
            newest = await graph.aget_state(thread_config({}, params["thread_id"]))
            return {
                "checkpoint": {
                    "thread_id": params["thread_id"],
                    "checkpoint_ns": place.get("checkpoint_ns", ""),
                    "checkpoint_id": place["checkpoint_id"],
                },
                "state": summarize(newest),
            }

    async def _snapshots(
        self,
        opened: OpenGraph,
        params: StateGetParams | StateHistoryParams,
        tuples: list[CheckpointTuple],
    ) -> list[StateSnapshot]:
        """The snapshots of checkpoints of one namespace, in the order given."""
        if not tuples:
            return []
        config = thread_config(params["config"], params["thread_id"])
        config["configurable"]["checkpoint_ns"] = tuples[0]["checkpoint_ns"]
        checkpointer = self._make_checkpointer(opened, params["thread_id"])
        checkpointer.preload_history(tuples)
        return [state async for state in opened.view(checkpointer).aget_state_history(config)]

    def _make_checkpointer(
        self,
        opened: OpenGraph,
        thread_id: str,
        metadata: JsonObject | None = None,
        updates: Iterable[list[Write]] = (),
    ) -> HarborCheckpointer:
        return HarborCheckpointer(
            self._connection,
            thread_id=thread_id,
            run_id=None,
            metadata=metadata or {},
            serde=opened.serde,
            updates=updates,
        )


def _to_update(update: StateUpdate) -> LangGraphUpdate:
    """Converts an update of the protocol to LangGraph's form."""
    command = update.get("command")
    values: Any = to_command(command) if command else update.get("values")
    return LangGraphUpdate(values, update.get("as_node"))
