"""A LangGraph checkpointer that stores its checkpoints on the server, for one run or one
request.
"""

from __future__ import annotations

import asyncio
import inspect
import random
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
)
from langgraph.checkpoint.base import CheckpointTuple as SavedCheckpoint
from langgraph.checkpoint.serde.base import SerializerProtocol

from ..errors.runtime_error import bound_error
from ..link.connection import Connection
from ..link.run_events import RunEvents
from ..protocol import (
    CheckpointListParams,
    CheckpointTuple,
    Durability,
    JsonObject,
    PendingWrite,
)
from .checkpoint_format import by_task_path, checkpoint_serde, deserialize, serialize
from .checkpoint_memory import CheckpointMemory
from .state_writes import Write, by_node
from .task_result import ERROR

#: How many checkpoints a request lists, unless LangGraph limits their number.
_PAGE = 100


class HarborCheckpointer(BaseCheckpointSaver[str]):
    """Writes are sent to the server as notifications, in their order across all threads. Reads are
    answered from memory if it has the checkpoint, otherwise by the server.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        thread_id: str,
        run_id: str | None,
        metadata: JsonObject,
        durability: Durability = "async",
        serde: SerializerProtocol | None = None,
        updates: Iterable[list[Write]] = (),
        events: RunEvents | None = None,
    ) -> None:
        super().__init__(serde=checkpoint_serde(serde))
        #: The writes of each checkpoint with the source `update` that will be put, in order.
        self._updates = iter(updates)
        self._connection = connection
        self._thread_id = thread_id
        self._run_id = run_id
        self._metadata = metadata
        self._durability = durability
        #: The events of the run; the events of a superstep are sent before its checkpoint.
        self._events = events
        self._memory = CheckpointMemory()
        #: The checkpoints to list; None if the server is asked for them.
        self._history: list[CheckpointTuple] | None = None
        #: The newest checkpoint of the root graph that this checkpointer has stored, with its values as
        #: objects.
        self.last_put: Checkpoint | None = None

    def preload(self, start: CheckpointTuple | None, *, is_newest: bool) -> None:
        """Remembers the checkpoint that the server sent with a request; None if the thread has none."""
        if start is None:
            self._memory.is_whole = is_newest
        else:
            self._memory.remember(start, start.get("channel_versions", {}), is_newest)

    def preload_history(self, tuples: list[CheckpointTuple]) -> None:
        """Makes `list` and `alist` return exactly these checkpoints."""
        self._history = tuples

    # Reading

    def get_tuple(self, config: RunnableConfig) -> SavedCheckpoint | None:
        found, params = self._recall(config)
        if params is None:
            return found
        answer = self._connection.wait(self._connection.request("checkpoints.get", params))
        return self._revive(answer["tuple"])

    async def aget_tuple(self, config: RunnableConfig) -> SavedCheckpoint | None:
        found, params = self._recall(config)
        if params is None:
            return found
        answer = await asyncio.wrap_future(self._connection.request("checkpoints.get", params))
        return self._revive(answer["tuple"])

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[SavedCheckpoint]:
        if self._history is not None:
            yield from self._revive_all(self._history)
            return
        params: CheckpointListParams | None = self._list_params(config, filter, before, limit)
        while params is not None:
            tuples = self._connection.wait(self._connection.request("checkpoints.list", params))["tuples"]
            yield from self._revive_all(tuples)
            params = _next_page(params, tuples, limit)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[SavedCheckpoint]:
        if self._history is not None:
            for saved in self._revive_all(self._history):
                yield saved
            return
        params: CheckpointListParams | None = self._list_params(config, filter, before, limit)
        while params is not None:
            request = self._connection.request("checkpoints.list", params)
            tuples = (await asyncio.wrap_future(request))["tuples"]
            for saved in self._revive_all(tuples):
                yield saved
            params = _next_page(params, tuples, limit)

    # Writing

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        saved = self._put(config, checkpoint, metadata, new_versions)
        if self._durability == "sync":
            self._connection.wait(self._connection.request("checkpoints.sync", {}))
        return saved

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        saved = self._put(config, checkpoint, metadata, new_versions)
        if self._durability == "sync":
            await asyncio.wrap_future(self._connection.request("checkpoints.sync", {}))
        return saved

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        configurable = config["configurable"]
        node = _node_of(task_path)
        serialized: list[PendingWrite] = [
            {
                "task_id": task_id,
                "task_path": task_path,
                "index": WRITES_IDX_MAP.get(channel, position),
                "channel": channel,
                "value": serialize(self.serde, value, channel, node),
            }
            for position, (channel, value) in enumerate(_bound_errors(writes))
        ]
        namespace = configurable.get("checkpoint_ns", "")
        checkpoint_id = configurable["checkpoint_id"]
        self._memory.add_writes(namespace, checkpoint_id, serialized)
        self._connection.notify(
            "checkpoints.put_writes",
            {
                "run_id": self._run_id,
                "thread_id": configurable["thread_id"],
                "checkpoint_ns": namespace,
                "checkpoint_id": checkpoint_id,
                "writes": serialized,
            },
        )

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        self.put_writes(config, writes, task_id, task_path)

    def delete_thread(self, thread_id: str) -> None:
        self._memory.clear()
        self._connection.wait(self._connection.request("checkpoints.delete_thread", {"thread_id": thread_id}))

    async def adelete_thread(self, thread_id: str) -> None:
        self._memory.clear()
        await asyncio.wrap_future(
            self._connection.request("checkpoints.delete_thread", {"thread_id": thread_id})
        )

    def get_next_version(self, current: str | None, channel: None) -> str:
        """The next integer plus a random fraction, as in LangGraph's own savers, so that two
        branches of a checkpoint do not use the same version for different values.
        """
        step = 0 if current is None else int(str(current).partition(".")[0])
        return f"{step + 1:032}.{random.random():016}"

    def _put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        configurable = config["configurable"]
        thread_id, namespace = configurable["thread_id"], configurable.get("checkpoint_ns", "")
        values = checkpoint["channel_values"]
        envelope = {name: value for name, value in checkpoint.items() if name != "channel_values"}
        versions = {
            channel: str(version)
            for channel, version in checkpoint["channel_versions"].items()
            if channel in values
        }
        changed = {
            channel: serialize(self.serde, values[channel], channel)
            for channel in new_versions
            if channel in values
        }
        kept = {channel: version for channel, version in versions.items() if channel not in changed}
        unchanged = self._memory.values_of(namespace, kept)
        merged = {**self._metadata, **metadata}
        # Only updates store their writes; the writes of supersteps are read from their tasks.
        merged.pop("writes", None)
        if metadata.get("source") == "update" and (given := next(self._updates, None)) is not None:
            merged["writes"] = by_node(given, checkpoint["versions_seen"])
        saved: CheckpointTuple = {
            "thread_id": thread_id,
            "checkpoint_ns": namespace,
            "checkpoint_id": checkpoint["id"],
            "parent_checkpoint_id": configurable.get("checkpoint_id"),
            "checkpoint": serialize(self.serde, envelope),
            "channel_values": changed,
            "metadata": merged,
            "pending_writes": [],
        }
        if thread_id == self._thread_id:
            if namespace == "":
                self.last_put = checkpoint
            if unchanged is None:
                self._memory.forget(namespace)
            else:
                whole: CheckpointTuple = {**saved, "channel_values": {**unchanged, **changed}}
                self._memory.remember(whole, versions, is_newest=True)
        if self._events is not None:
            self._events.send_before_checkpoint()
        put = {key: value for key, value in saved.items() if key != "pending_writes"}
        self._connection.notify(
            "checkpoints.put", {**put, "run_id": self._run_id, "channel_versions": versions}
        )
        place = {"thread_id": thread_id, "checkpoint_ns": namespace, "checkpoint_id": checkpoint["id"]}
        return {"configurable": place}

    def _recall(self, config: RunnableConfig) -> tuple[SavedCheckpoint | None, JsonObject | None]:
        """The checkpoint in memory (None if the thread certainly has none), or else the params for
        requesting it from the server.
        """
        configurable = _configurable(config)
        thread_id, namespace = configurable["thread_id"], configurable.get("checkpoint_ns", "")
        checkpoint_id = configurable.get("checkpoint_id")
        if thread_id == self._thread_id:
            known = self._memory.find(namespace, checkpoint_id)
            if known is not None or self._memory.lacks(namespace, checkpoint_id):
                return self._revive(known), None
        params: JsonObject = {"thread_id": thread_id, "checkpoint_ns": namespace}
        return None, params if checkpoint_id is None else {**params, "checkpoint_id": checkpoint_id}

    def _revive(self, saved: CheckpointTuple | None) -> SavedCheckpoint | None:
        """Converts a stored checkpoint to LangGraph's form; None stays None. The values are new objects."""
        if saved is None:
            return None
        checkpoint = deserialize(self.serde, saved["checkpoint"])
        checkpoint["channel_values"] = {
            channel: deserialize(self.serde, value) for channel, value in saved["channel_values"].items()
        }
        return SavedCheckpoint(
            config=_place(saved, saved["checkpoint_id"]),
            checkpoint=checkpoint,
            metadata=dict(saved["metadata"]),  # type: ignore[arg-type]
            parent_config=_place(saved, saved["parent_checkpoint_id"])
            if saved["parent_checkpoint_id"]
            else None,
            pending_writes=[
                (write["task_id"], write["channel"], deserialize(self.serde, write["value"]))
                for write in sorted(saved["pending_writes"], key=by_task_path)
            ],
        )

    def _revive_all(self, tuples: Iterable[CheckpointTuple]) -> Iterator[SavedCheckpoint]:
        """Converts checkpoints to LangGraph's form."""
        for saved in tuples:
            revived = self._revive(saved)
            if revived is not None:
                yield revived

    def _list_params(
        self,
        config: RunnableConfig | None,
        filter: dict[str, Any] | None,
        before: RunnableConfig | None,
        limit: int | None,
    ) -> CheckpointListParams:
        configurable = _configurable(config)
        params: CheckpointListParams = {
            "thread_id": configurable.get("thread_id", self._thread_id),
            "limit": _PAGE if limit is None else limit,
        }
        if (namespace := configurable.get("checkpoint_ns")) is not None:
            params["checkpoint_ns"] = namespace
        if checkpoint_id := configurable.get("checkpoint_id"):
            params["checkpoint_id"] = checkpoint_id
        if (older_than := _configurable(before).get("checkpoint_id")) is not None:
            params["before"] = older_than
        if filter:
            params["filter"] = filter
        return params


# LangGraph reads the signatures of these methods at the beginning of each run. Computing a signature takes
# longer than any method here, so it is computed once.
for _method in (HarborCheckpointer.put_writes, HarborCheckpointer.aput_writes):
    setattr(_method, "__signature__", inspect.signature(_method))


def _next_page(
    params: CheckpointListParams, tuples: list[CheckpointTuple], limit: int | None
) -> CheckpointListParams | None:
    """The params of the next page; None after the last. A request with a limit is a single page."""
    if limit is not None or len(tuples) < _PAGE:
        return None
    return {**params, "before": tuples[-1]["checkpoint_id"]}


def _bound_errors(writes: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The same writes, with errors shortened to the maximum length of a run's error."""
    for channel, value in writes:
        yield channel, bound_error(value) if channel == ERROR else value


def _node_of(task_path: str) -> str:
    """The node of a task that an edge started, from the path of the task. "" for other tasks,
    such as tasks of `Send`."""
    kind, _, node = task_path.rpartition(", ")
    return node if kind.endswith("__pregel_pull") else ""


def _configurable(config: RunnableConfig | None) -> dict[str, Any]:
    return {} if config is None else config.get("configurable", {})


def _place(saved: CheckpointTuple, checkpoint_id: str | None) -> RunnableConfig:
    return {
        "configurable": {
            "thread_id": saved["thread_id"],
            "checkpoint_ns": saved["checkpoint_ns"],
            "checkpoint_id": checkpoint_id,
        }
    }
