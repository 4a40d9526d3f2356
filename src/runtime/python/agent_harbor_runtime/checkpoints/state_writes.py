"""The writes that led to a checkpoint, by node: `metadata.writes` of a state, which newer versions of
LangGraph do not store. The writes of several tasks of a node are a list. Nodes without writes are
left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.types import StateSnapshot

from ..protocol import CheckpointTuple, StateUpdate
from .checkpoint_format import deserialize

#: The write of a task: its node, which LangGraph determines when it is None, and the value.
Write = tuple[str | None, Any]

_START = "__start__"


def writes_of(
    snapshot: StateSnapshot, saved: CheckpointTuple, parent: StateSnapshot | None, serde: SerializerProtocol
) -> dict[str, Any]:
    """The writes that led to a checkpoint. `parent` is the snapshot of the parent, which has the tasks
    of the superstep between the two checkpoints.
    """
    metadata: dict[str, Any] = {**(snapshot.metadata or {})}
    stored = metadata.get("writes")
    if isinstance(stored, dict):
        return stored  # Stored with an update, or by an older LangGraph.
    if metadata.get("source") == "input":
        given = saved["channel_values"].get(_START)
        return {} if given is None else {_START: deserialize(serde, given)}
    if metadata.get("source") != "loop" or parent is None:
        return {}
    # The writes of `__start__` are the input, which belongs to the parent checkpoint.
    tasks = [task for task in parent.tasks if task.name != _START]
    return by_node([(task.name, getattr(task, "result", None)) for task in tasks], {})


def update_writes(supersteps: list[list[StateUpdate]]) -> list[list[Write]]:
    """The writes of each superstep that makes a checkpoint with the source `update`, in order."""
    written: list[list[Write]] = []
    for updates in supersteps:
        first = updates[0] if updates else {}
        if first.get("as_node") == "__input__":
            continue
        if first.get("as_node") == "__copy__":
            # A copy makes a fork, followed by an update if it contains `[values, node]` pairs.
            copied = first.get("values")
            if isinstance(copied, list) and copied:
                written.append([(item[1], item[0]) for item in copied])
            continue
        written.append([(update.get("as_node"), _value(update)) for update in updates])
    return written


def by_node(writes: Iterable[Write], versions_seen: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Groups writes by node. `versions_seen` of the new checkpoint shows the node of an update that
    names none.
    """
    grouped: dict[str, list[Any]] = {}
    for given, value in writes:
        node = _last_node(versions_seen) if given is None else given
        if node is not None and not _is_nothing(value):
            grouped.setdefault(node, []).append(value)
    return {node: values[0] if len(values) == 1 else values for node, values in grouped.items()}


def _value(update: StateUpdate) -> Any:
    command = update.get("command")
    return command.get("update") if command else update.get("values")


def _is_nothing(value: Any) -> bool:
    """Whether a value means that a node wrote nothing: no value in JavaScript, an empty object in Python."""
    return value is None or (isinstance(value, dict) and not value)


def _last_node(versions_seen: dict[str, dict[str, Any]]) -> str | None:
    """The node that ran last, as LangGraph determines it for updates that name no node."""
    nodes = {node: seen for node, seen in versions_seen.items() if node != "__interrupt__"}
    ran = [(max(seen.values()), node) for node, seen in nodes.items() if seen]
    return max(ran)[1] if ran else next(iter(nodes), None)
