"""Calls the handlers of `auth.path`, the public SDK's `Auth` object, which authenticate and authorize
callers.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

from ..context.authenticated_user import AuthenticatedUser
from ..errors.runtime_error import GraphLoadError, ReturnValueError
from ..protocol import (
    AuthenticateParams,
    AuthenticateResult,
    AuthorizeParams,
    AuthorizeResult,
    AuthRefusal,
    AuthUser,
    JsonObject,
)
from .extras import Extras, call

#: Fields of values that the SDK's types declare as UUIDs.
_IDS = ("thread_id", "run_id", "assistant_id", "cron_id")
#: Fields of values that the SDK's types declare as tuples.
_NAMESPACES = ("namespace", "suffix")


class CustomAuth:
    """The project's own authentication and authorization (`auth.path`)."""

    def __init__(self, extras: Extras) -> None:
        self._extras = extras

    async def authenticate(self, params: AuthenticateParams) -> AuthenticateResult:
        """Finds the user of a request, or says why it is refused. Raises errors of the handler that are
        no refusals.
        """
        handler = (await self._load_auth())._authenticate_handler
        if handler is None:
            return {"user": {"identity": "anonymous", "permissions": [], "fields": {}}}
        try:
            return {"user": _user(await call(handler, **_wanted(handler, params)))}
        except Exception as error:
            return {"refused": _refusal(error, 401)}

    async def authorize(self, params: AuthorizeParams) -> AuthorizeResult:
        """Asks the most specific handler whether the user may do something. The handler may change the
        value, or return filters. Raises errors of the handler that are no refusals.
        """
        value = _typed(params["value"])
        handler = _most_specific(await self._load_auth(), params["resource"], params["action"])
        if handler is None:
            return {"value": value}
        try:
            from langgraph_sdk import Auth

            user: Any = AuthenticatedUser(params["user"])
            if user.get("kind") == "StudioUser":
                user = Auth.types.StudioUser(user.identity, is_authenticated=True)
            context = Auth.types.AuthContext(
                user=user,
                permissions=user.permissions,
                resource=params["resource"],  # type: ignore[arg-type]
                action=params["action"],  # type: ignore[arg-type]
            )
            answer = await call(handler, ctx=context, value=value)
        except Exception as error:
            return {"value": value, "refused": _refusal(error, 403)}
        if answer is False:
            return {"value": value, "refused": {"status": 403, "message": "Forbidden"}}
        if answer is True or answer is None:
            return {"value": value}
        if not isinstance(answer, Mapping):
            event = f"{params['resource']}:{params['action']}"
            raise ReturnValueError(
                f"The auth handler of {event} returned {answer!r}. It must return filters, a boolean or None."
            )
        return {"value": value, "filters": dict(answer)}

    async def _load_auth(self) -> Any:
        """The `Auth` object. Without `auth.path`, the error of `Extras.load` says so."""
        return self.load() if self._extras.path("auth") else await self._extras.load("auth")

    def load(self) -> Any:
        """Loads the `Auth` object. Raises GraphLoadError, or the error of the module."""
        auth = self._extras.load_now("auth")
        if not hasattr(auth, "_handlers"):
            raise GraphLoadError("auth.path must point to an Auth object of langgraph_sdk.")
        return auth


def _typed(value: JsonObject) -> JsonObject:
    """Converts IDs to UUIDs and namespaces to tuples, as the SDK's types require."""
    return {name: _typed_field(name, field) for name, field in value.items()}


def _typed_field(name: str, field: Any) -> Any:
    if name in _IDS and isinstance(field, str):
        try:
            return UUID(field)
        except ValueError:
            return field  # The caller gave an ID that is not a UUID.
    return tuple(field) if name in _NAMESPACES and isinstance(field, list) else field


def _wanted(handler: Callable[..., Any], params: AuthenticateParams) -> JsonObject:
    """The arguments for the parameters of a handler, by the SDK's names."""
    url = urlsplit(params["url"])
    headers = {name.lower(): value for name, value in params["headers"]}
    known: JsonObject = {
        "method": params["method"],
        "path": url.path,
        "path_params": {},
        "query_params": dict(parse_qsl(url.query)),
        "headers": {name.encode(): value.encode() for name, value in headers.items()},
        "authorization": headers.get("authorization"),
        "request": _Request(params["method"], params["url"], headers),
    }
    return {name: known[name] for name in inspect.signature(handler).parameters if name in known}


class _Request:
    """A Starlette request without its body."""

    def __init__(self, method: str, url: str, headers: dict[str, str]) -> None:
        self.method = method
        self.url = urlsplit(url)
        self.headers = headers
        self.query_params = dict(parse_qsl(self.url.query))


def _most_specific(auth: Any, resource: str, action: str) -> Callable[..., Any] | None:
    """The handler for an action on a resource; None if there is none, not even for everything."""
    for key in ((resource, action), (resource, "*"), ("*", action), ("*", "*")):
        if handlers := auth._handlers.get(key):
            return handlers[-1]  # type: ignore[no-any-return]
    return auth._global_handlers[-1] if auth._global_handlers else None


def _user(answer: Any) -> AuthUser:
    """Converts what an authenticate handler returned, in any of the forms that the SDK accepts."""
    # The SDK also accepts a pair: the permissions, and the user.
    if isinstance(answer, tuple) and len(answer) == 2:
        permissions, user = answer
        return {**_user(user), "permissions": [str(item) for item in permissions]}
    if isinstance(answer, str):
        return {"identity": answer, "permissions": [], "fields": {"identity": answer}}
    fields = dict(answer) if isinstance(answer, Mapping) else dict(getattr(answer, "__dict__", {}))
    identity = fields.get("identity") or getattr(answer, "identity", None)
    if not isinstance(identity, str):
        raise ReturnValueError("The authenticate handler must return a user with an identity.")
    granted: Any = fields.get("permissions") or getattr(answer, "permissions", None) or ()
    return {"identity": identity, "permissions": [str(item) for item in granted], "fields": fields}


def _refusal(error: Exception, status: int) -> AuthRefusal:
    """Converts an exception to a refusal: one with the status of a failure, such as the SDK's and Starlette's
    HTTPException, and AssertionError, which gets `status`. Raises other exceptions again.
    """
    code = getattr(error, "status_code", None)
    if isinstance(code, int) and 400 <= code < 600:
        refusal: AuthRefusal = {"status": code, "message": str(getattr(error, "detail", error))}
        # The headers of other errors may be those of another service's response, such as its cookies.
        is_http_exception = any(kind.__name__ == "HTTPException" for kind in type(error).__mro__)
        headers = getattr(error, "headers", None) if is_http_exception else None
        if isinstance(headers, Mapping) and headers:
            refusal["headers"] = {str(name): str(value) for name, value in headers.items()}
        return refusal
    if isinstance(error, AssertionError):
        return {"status": status, "message": str(error) or ("Unauthorized" if status == 401 else "Forbidden")}
    raise error
