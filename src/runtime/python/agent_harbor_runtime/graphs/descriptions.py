"""Schemas, diagrams and subgraphs of graphs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, get_type_hints, is_typeddict

from langgraph.channels import AnyValue, EphemeralValue, LastValue, UntrackedValue
from pydantic import TypeAdapter

from ..protocol import (
    GraphDiagram,
    GraphDrawParams,
    GraphLocations,
    GraphParams,
    GraphReducers,
    GraphSchemas,
    GraphSubgraphs,
    GraphSubgraphsParams,
    JsonObject,
)
from .graphs import Graph, Graphs, OpenGraph, node_places
from .run_config import graph_config


class Descriptions:
    """Answers requests about graphs without running them."""

    def __init__(self, graphs: Graphs) -> None:
        self._graphs = graphs

    async def read_schemas(self, params: GraphParams) -> GraphSchemas:
        """The schemas of a graph; None for each whose type has no JSON schema."""
        async with self._open(params) as opened:
            return schemas_of(opened.graph, params["graph_id"])

    async def list_reducers(self, params: GraphParams) -> GraphReducers:
        """The names of the reducers of the state's keys. Without a reducer, a write replaces the
        value of a key.
        """
        async with self._open(params) as opened:
            graph = opened.graph
            named = {key: _reducer_name(graph.channels[key]) for key in graph.stream_channels_list}
        return {key: name for key, name in named.items() if name is not None}

    async def draw(self, params: GraphDrawParams) -> GraphDiagram:
        """The nodes and edges of a graph's diagram."""
        config = graph_config(params["config"])
        async with self._open(params) as opened:
            diagram = (await opened.graph.aget_graph(config, xray=params["xray"])).to_json()
        for node in diagram["nodes"]:
            if isinstance(node.get("data"), dict):
                node["data"].pop("id", None)
        return {"nodes": diagram["nodes"], "edges": diagram["edges"]}

    async def locate_graph(self, params: GraphParams) -> GraphLocations:
        """Where a graph is exported, and where the functions of its nodes are defined. Functions in
        packages are left out.
        """
        async with self._open(params) as opened:
            nodes = node_places(opened.graph)
        location = self._graphs.location(params["graph_id"])
        return {"nodes": nodes} if location is None else {"location": location, "nodes": nodes}

    async def list_subgraphs(self, params: GraphSubgraphsParams) -> GraphSubgraphs:
        """The schemas of a graph's subgraphs, by their namespaces."""
        async with self._open(params) as opened:
            found: Any = opened.graph.aget_subgraphs(
                namespace=params.get("namespace"), recurse=params["recurse"]
            )
            return {name: schemas_of(graph, params["graph_id"]) async for name, graph in found}

    def _open(self, params: GraphParams) -> AbstractAsyncContextManager[OpenGraph]:
        config = graph_config(params["config"])
        return self._graphs.open(params["graph_id"], config, access="assistants.read")


def _reducer_name(channel: Any) -> str | None:
    """The name of a reducer; None without a reducer, empty for one without a name."""
    if isinstance(channel, (LastValue, EphemeralValue, UntrackedValue, AnyValue)):
        return None
    operator = getattr(channel, "operator", None)
    name: str = getattr(operator, "__name__", "") if operator else type(channel).__name__
    return "" if name == "<lambda>" else name


def schemas_of(graph: Graph, graph_id: str) -> GraphSchemas:
    """The schemas of a graph; None for each whose type has no JSON schema."""
    return {
        "graph_id": graph_id,
        "input_schema": _schema(lambda: _part_schema(graph, "input", graph.get_input_jsonschema)),
        "output_schema": _schema(lambda: _part_schema(graph, "output", graph.get_output_jsonschema)),
        "state_schema": _schema(lambda: _state_schema(graph)),
        "config_schema": _schema(lambda: _configurable_schema(graph)),
        "context_schema": _schema(lambda: _context_schema(graph)) or None,
    }


def _schema(make: Callable[[], JsonObject]) -> JsonObject | None:
    """Calls a function that makes a schema; None if the type has no JSON schema."""
    try:
        return make()
    except Exception:
        return None


def _state_schema(graph: Graph) -> JsonObject:
    """The schema of the state: the type that may be written to each of its keys."""
    types = {name: getattr(graph.channels[name], "UpdateType", Any) for name in graph.stream_channels_list}
    return _object_schema(graph.get_name("State"), types)


def _part_schema(graph: Graph, part: str, make: Callable[[], JsonObject]) -> JsonObject:
    """The schema of the input or the output, by `make` unless it is a TypedDict."""
    builder = getattr(graph, "builder", None)
    return _typed_dict_schema(getattr(builder, f"{part}_schema", None)) or make()


def _context_schema(graph: Graph) -> JsonObject:
    return _typed_dict_schema(graph.context_schema) or graph.get_context_jsonschema() or {}


def _typed_dict_schema(schema: Any) -> JsonObject | None:
    """The schema of a TypedDict; None for other types. Before Python 3.12, pydantic refuses TypedDicts
    of `typing`.
    """
    if schema is None or not is_typeddict(schema):
        return None
    result = _object_schema(schema.__name__, get_type_hints(schema))
    required = [name for name in result["properties"] if name in schema.__required_keys__]
    return {**result, "required": required} if required else result


def _object_schema(title: str, types: dict[str, Any]) -> JsonObject:
    """The schema of an object with fields of these types."""
    properties: JsonObject = {}
    definitions: JsonObject = {}
    for name, field_type in types.items():
        try:
            schema = TypeAdapter(field_type).json_schema()
        except Exception:
            schema = {}  # The type has no JSON schema; any value is valid.
        definitions.update(schema.pop("$defs", {}))
        properties[name] = {"title": name.replace("_", " ").title(), **schema}
    result: JsonObject = {"title": title, "type": "object", "properties": properties}
    return {**result, "$defs": definitions} if definitions else result


def _configurable_schema(graph: Graph) -> JsonObject:
    """The schema of the part of the config that callers can set."""
    schema = graph.get_config_jsonschema(include=["configurable"])
    configurable = schema.get("properties", {}).get("configurable", {})
    reference = configurable.get("$ref") or next(
        (option["$ref"] for option in configurable.get("anyOf", ()) if "$ref" in option), None
    )
    if reference is None:
        return {}
    definitions = dict(schema["$defs"])
    found: JsonObject = definitions.pop(reference.rpartition("/")[2])
    return {**found, "$defs": definitions} if definitions else found
