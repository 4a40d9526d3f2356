"""LangGraph's store, whose items the server stores."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from ..link.connection import Connection
from ..protocol import JsonObject, StoreItem


class HarborStore(BaseStore):
    """Sends every batch as one request, whose operations the server carries out in order."""

    supports_ttl = True

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        params = {"operations": [_wire(op) for op in ops]}
        return _results(self._connection.wait(self._connection.request("store.batch", params)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        params = {"operations": [_wire(op) for op in ops]}
        return _results(await asyncio.wrap_future(self._connection.request("store.batch", params)))


def _wire(op: Op) -> JsonObject:
    """An operation in the protocol's form."""
    if isinstance(op, GetOp):
        return _given(op="get", namespace=list(op.namespace), key=op.key, refresh_ttl=op.refresh_ttl)
    if isinstance(op, PutOp):
        put = _given(op="put", namespace=list(op.namespace), key=op.key, index=_index(op), ttl=op.ttl)
        return {**put, "value": op.value}
    if isinstance(op, SearchOp):
        return _given(
            op="search",
            namespace_prefix=list(op.namespace_prefix),
            filter=op.filter,
            query=op.query,
            limit=op.limit,
            offset=op.offset,
            refresh_ttl=op.refresh_ttl,
        )
    if isinstance(op, ListNamespacesOp):
        conditions = {
            condition.match_type: list(condition.path) for condition in op.match_conditions or ()
        }
        return _given(
            op="list_namespaces", max_depth=op.max_depth, limit=op.limit, offset=op.offset, **conditions
        )
    raise TypeError(f"Unknown store operation: {type(op).__name__}.")


def _index(op: PutOp) -> bool | list[str] | None:
    return op.index if op.index is None or op.index is False else list(op.index)


def _given(**fields: Any) -> JsonObject:
    """The fields that are set."""
    return {name: value for name, value in fields.items() if value is not None}


def _results(answer: JsonObject) -> list[Result]:
    return [_result(one) for one in answer["answers"]]


def _result(answer: JsonObject) -> Result:
    match answer["op"]:
        case "get":
            item = answer["item"]
            return None if item is None else Item(**_fields(item))
        case "search":
            return [SearchItem(**_fields(item), score=item.get("score")) for item in answer["items"]]
        case "list_namespaces":
            return [tuple(namespace) for namespace in answer["namespaces"]]
        case _:
            return None


def _fields(item: StoreItem) -> dict[str, Any]:
    return {
        "namespace": tuple(item["namespace"]),
        "key": item["key"],
        "value": item["value"],
        "created_at": datetime.fromisoformat(item["created_at"]),
        "updated_at": datetime.fromisoformat(item["updated_at"]),
    }
