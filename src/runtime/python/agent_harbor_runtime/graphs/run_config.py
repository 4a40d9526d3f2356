"""The input and config of a run for LangGraph."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from langchain_core.runnables import RunnableConfig
from langchain_core.tracers import LangChainTracer
from langgraph.types import Command, Send
from langsmith.utils import get_tracer_project

from ..context.authenticated_user import AuthenticatedUser
from ..context.in_process import user_of
from ..protocol import CheckpointRef, JsonObject, RunCommand, RunExecuteParams, RunTracer
from .graphs import Graph

#: The fields of a config that LangGraph gets.
_CONFIG_FIELDS = ("tags", "recursion_limit", "max_concurrency", "run_name", "metadata", "configurable")


def run_metadata(params: RunExecuteParams) -> JsonObject:
    """The metadata of a run's checkpoints and spans: the caller's own, and the IDs of the run."""
    return {
        **(params["config"].get("metadata") or {}),
        "run_id": params["run_id"],
        "thread_id": params["thread_id"],
        "graph_id": params["graph_id"],
        "assistant_id": params["assistant_id"],
        "run_attempt": params["attempt"],
    }


def run_config(params: RunExecuteParams, metadata: JsonObject) -> RunnableConfig:
    """The config with which LangGraph executes a run, including its tracer."""
    config = graph_config(params["config"])
    config["configurable"] = {
        **config.get("configurable", {}),
        **checkpoint_configurable(params["checkpoint"]),
        "thread_id": params["thread_id"],
        "run_id": params["run_id"],
        "graph_id": params["graph_id"],
        "assistant_id": params["assistant_id"],
    }
    config["metadata"] = metadata
    config["run_id"] = UUID(params["run_id"])
    tracer = params.get("tracer")
    if tracer is not None:
        # Without this tracer, LangChain makes one that sends the spans to the project in the environment.
        config["callbacks"] = [_make_tracer(tracer)]
    return config


def _make_tracer(tracer: RunTracer) -> LangChainTracer:
    return LangChainTracer(
        example_id=tracer.get("example_id"),
        # Without a name, the environment names the project.
        project_name=tracer.get("project_name") or get_tracer_project(),
    )


def graph_config(config: JsonObject) -> RunnableConfig:
    """The fields of a config that are set, such as `tags`. The user of the project's `auth` becomes an
    object.
    """
    given = {name: config[name] for name in _CONFIG_FIELDS if config.get(name) is not None}
    user = user_of(given.get("configurable") or {})
    if user is not None:
        given["configurable"] = {**given["configurable"], "langgraph_auth_user": AuthenticatedUser(user)}
    return given  # type: ignore[return-value]


def thread_config(
    config: JsonObject, thread_id: str, checkpoint: CheckpointRef | None = None
) -> RunnableConfig:
    """The config for reading or updating a thread's state."""
    result = graph_config(config)
    result["configurable"] = {
        **result.get("configurable", {}),
        "checkpoint_ns": "",
        **checkpoint_configurable(checkpoint),
        "thread_id": thread_id,
    }
    return result


def checkpoint_configurable(checkpoint: CheckpointRef | None) -> JsonObject:
    """The fields that name a checkpoint in `configurable`."""
    return {name: value for name, value in (checkpoint or {}).items() if value is not None}


def context_of(context: JsonObject, graph: Graph) -> JsonObject | None:
    """The context for a graph. An empty one is passed only to a graph with a context schema, which may
    have defaults.
    """
    has_schema = getattr(graph, "context_schema", None) is not None
    return context if context or has_schema else None


def run_input(params: RunExecuteParams) -> Any:
    """The input for LangGraph: the run's command, if it has one."""
    command = params["command"]
    return params["input"] if command is None else to_command(command)


def to_command(command: RunCommand) -> Command[Any]:
    """Converts a command of the protocol to LangGraph's `Command`."""
    goto = command.get("goto")
    targets = goto if isinstance(goto, list) else [] if goto is None else [goto]
    return Command(
        update=command.get("update"),
        resume=command.get("resume"),
        goto=[
            Send(target["node"], target.get("input")) if isinstance(target, dict) else target
            for target in targets
        ],
    )
