"""JSON for clients: messages as plain dictionaries, and other values of a state as the nearest
JSON.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import math
import re
from collections import deque
from collections.abc import Mapping
from datetime import timedelta, timezone, tzinfo
from decimal import Decimal
from pathlib import PurePath
from typing import Any
from uuid import UUID

try:
    import orjson
except ImportError:
    # LangGraph depends on orjson. Without LangGraph, this runtime only reports that it is missing.
    orjson = None  # type: ignore[assignment, unused-ignore]

#: In `_plain`, larger integers become text, because JavaScript cannot represent them exactly.
_SAFE_INTEGER = 2**53 - 1
#: In `_plain`, values that are nested more deeply become "[Circular]", because it would otherwise
#: exceed Python's recursion limit.
_MAX_NESTED = 200


def to_json(value: Any) -> str:
    """JSON text of any value."""
    if orjson is None:
        return json.dumps(value, default=_plain_object)
    try:
        return orjson.dumps(
            value, default=_plain_object, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY
        ).decode()
    except (TypeError, ValueError, RecursionError):
        # orjson refuses cycles, integers beyond 64 bits, lone surrogates, and some types of keys.
        return json.dumps(_plain(value, ()), ensure_ascii=False, allow_nan=False)


def from_json(text: str | bytes) -> Any:
    """Parses JSON. Raises ValueError when the text is not valid."""
    return json.loads(text) if orjson is None else orjson.loads(text)


def _plain_object(value: Any) -> Any:
    """The nearest plain value of an object that JSON does not support."""
    for method in ("model_dump", "dict", "_asdict"):
        dump = getattr(value, method, None)
        if callable(dump) and not isinstance(value, type):
            return dump()
    if isinstance(value, BaseException):
        return {"error": type(value).__name__, "message": str(value)}
    if isinstance(value, (set, frozenset, deque, tuple)):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, (timezone, tzinfo)):
        return value.tzname(None)
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, re.Pattern):
        return value.pattern
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if hasattr(value, "tolist") and callable(value.tolist):
        return value.tolist()
    return repr(value)


def _plain(value: Any, ancestors: tuple[int, ...]) -> Any:
    """A copy that any JSON writer can write."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if abs(value) <= _SAFE_INTEGER else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if id(value) in ancestors or len(ancestors) > _MAX_NESTED:
        return "[Circular]"
    inner = (*ancestors, id(value))
    if isinstance(value, dict):
        return {_key(key): _plain(item, inner) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, inner) for item in value]
    return _plain(_plain_object(value), inner)


def _key(key: Any) -> str:
    return key.encode("utf-8", "replace").decode() if isinstance(key, str) else str(key)
