"""States, checkpoints and tasks in the form of the agent server's clients."""

from __future__ import annotations

from typing import Any

from langgraph.types import PregelTask, StateSnapshot

from ..checkpoints.task_result import error_text
from ..errors.runtime_error import bound_error
from ..link.json_text import to_json
from ..protocol import StateSummary


def checkpoint_of(config: Any) -> dict[str, Any] | None:
    """The place of a checkpoint; None when the config names no thread."""
    configurable = config.get("configurable") if isinstance(config, dict) else None
    if not isinstance(configurable, dict) or "thread_id" not in configurable:
        return None
    return {
        "thread_id": configurable["thread_id"],
        "checkpoint_ns": configurable.get("checkpoint_ns", ""),
        "checkpoint_id": configurable.get("checkpoint_id"),
        "checkpoint_map": configurable.get("checkpoint_map"),
    }


def task_checkpoint_of(config: Any) -> dict[str, Any] | None:
    """The place of the checkpoints of a task's subgraph, with the parts that its config names."""
    checkpoint = checkpoint_of(config)
    return checkpoint and {name: value for name, value in checkpoint.items() if value is not None}


def wire_checkpoint(payload: dict[str, Any]) -> dict[str, Any]:
    """Adds references to checkpoints to the payload of a `checkpoints` event."""
    return {
        **payload,
        "tasks": [wire_task(task) for task in payload.get("tasks", ())],
        "checkpoint": checkpoint_of(payload.get("config")),
        "parent_checkpoint": checkpoint_of(payload.get("parent_config")),
    }


def wire_task(task: dict[str, Any]) -> dict[str, Any]:
    """Replaces a task's state config with a checkpoint reference, and shortens a long error."""
    if task.get("error") is not None:
        task = {**task, "error": bound_error(task["error"])}
    checkpoint = task_checkpoint_of(task.get("state"))
    if checkpoint is None:
        return task
    return {**{name: value for name, value in task.items() if name != "state"}, "checkpoint": checkpoint}


#: The writes that led to a checkpoint, by the checkpoint's ID.
SnapshotWrites = dict[str, dict[str, Any]]


def wire_snapshot(snapshot: StateSnapshot, known: SnapshotWrites | None = None) -> dict[str, Any]:
    """Converts a snapshot to the form of clients, including the older fields that repeat others, and the
    writes that led to it, if known.
    """
    checkpoint = checkpoint_of(snapshot.config)
    parent = checkpoint_of(snapshot.parent_config)
    checkpoint_id = None if checkpoint is None else checkpoint["checkpoint_id"]
    writes = (known or {}).get(checkpoint_id or "")
    return {
        "values": snapshot.values,
        "next": snapshot.next,
        "tasks": [_wire_task_state(task, known) for task in snapshot.tasks],
        "metadata": None
        if snapshot.metadata is None
        else {
            **snapshot.metadata,
            "checkpoint_id": checkpoint_id,
            **({} if writes is None else {"writes": writes}),
        },
        "created_at": snapshot.created_at,
        "checkpoint": checkpoint,
        "parent_checkpoint": parent,
        "checkpoint_id": checkpoint_id,
        "parent_checkpoint_id": None if parent is None else parent["checkpoint_id"],
        "interrupts": [interrupt for task in snapshot.tasks for interrupt in task.interrupts],
    }


def summarize(snapshot: StateSnapshot) -> StateSummary:
    """Summarizes a thread's newest state for the thread's row."""
    interrupts = {task.id: task.interrupts for task in snapshot.tasks if task.interrupts}
    return {
        "values": to_json(snapshot.values),
        # LangGraph lists no next nodes if all nodes of a superstep have written, but its checkpoint
        # was not stored, although the graph has not reached its end.
        "next": list(snapshot.next) or [task.name for task in snapshot.tasks],
        "interrupts": to_json(interrupts),
        "checkpoint_id": snapshot.config.get("configurable", {}).get("checkpoint_id"),
    }


def nested_snapshot(task: PregelTask) -> StateSnapshot | None:
    """The state of the subgraph that a task runs, when it was requested."""
    return task.state if isinstance(task.state, StateSnapshot) else None


def _wire_task_state(task: PregelTask, known: SnapshotWrites | None) -> dict[str, Any]:
    """Converts a task of a snapshot to the form of clients."""
    nested = nested_snapshot(task)
    return {
        "id": task.id,
        "name": task.name,
        "path": task.path,
        "error": None if task.error is None else error_text(task.error),
        "interrupts": task.interrupts,
        "checkpoint": task_checkpoint_of(task.state if nested is None else nested.config),
        "state": None if nested is None else wire_snapshot(nested, known),
        "result": getattr(task, "result", None),
    }
