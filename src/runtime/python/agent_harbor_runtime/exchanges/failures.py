"""Records how a request failed, and raises the same failure in a replay."""

from __future__ import annotations

import builtins
from typing import Any

from ..protocol import ExchangeError


#: The maximum number of recorded classes, in case errors wrap each other.
_MAX_TYPES = 4


def describe_failure(error: BaseException) -> ExchangeError:
    """The text of an error, and its class, followed by those of the errors that it wraps."""
    types: list[str] = []
    wrapped: object = error
    while isinstance(wrapped, BaseException) and len(types) < _MAX_TYPES:
        types.append(type(wrapped).__name__)
        # urllib3 keeps the error of its last try in `reason`.
        wrapped = getattr(wrapped, "reason", None)
    return {"message": str(error), "types": types}


def recorded_failure(error: ExchangeError | None, client: Any, **attributes: Any) -> Exception:
    """Makes an error of the recorded class, with the recorded text. Errors whose class belongs
    neither to the client nor to Python itself become ConnectionError.
    :param client: the module with the client's errors.
    :param attributes: further attributes of the error, such as the failed request.
    """
    if error is None:
        return ConnectionError("The request failed.")
    return _make(error["message"], error.get("types", []), client, attributes)


def _make(message: str, types: list[str], client: Any, attributes: dict[str, Any]) -> Exception:
    """Makes an error of the first of the types. The others are those of the errors that it wraps."""
    name, *wrapped = types or [""]
    found = getattr(client, name, None) or getattr(builtins, name, None)
    if not isinstance(found, type) or not issubclass(found, Exception):
        return ConnectionError(message)
    base: Any = found
    if base.__str__ not in _PLAIN:
        # The class would otherwise compose another text from arguments that are not recorded.
        base = type(base.__name__, (base,), {"__module__": base.__module__, "__str__": lambda _: message})
    # The error is created without the arguments that its constructor requires.
    failure: Exception = base.__new__(base, message)
    failure.args = (message,)
    if wrapped:
        attributes = {**attributes, "reason": _make(message, wrapped, client, attributes)}
    for attribute, value in attributes.items():
        if not hasattr(base, attribute):
            setattr(failure, attribute, value)
    return failure


#: The `__str__` methods of error classes whose text is just their message.
_PLAIN = (BaseException.__str__, OSError.__str__)
