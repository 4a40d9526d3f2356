"""Describes the routes of a Starlette or FastAPI application, and forwards other requests to the server."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from ..context.in_process import pass_on
from ..protocol import AppRoute, HttpAppDescription

Message = dict[str, Any]

#: The key in a request's scope that says that the server has an endpoint for it.
BEHIND = "agent_harbor_behind"

#: Pages that FastAPI adds automatically; the server's own pages cover the app as well.
_MADE_BY_FASTAPI = {"/docs", "/docs/oauth2-redirect", "/openapi.json", "/redoc"}


def prepare_app(app: Any) -> HttpAppDescription:
    """Describes an app's routes, and adds one that forwards other requests to the server. The routes
    of ASGI applications of other kinds are unknown, so such apps only get requests that the server
    does not answer.
    """
    routes = getattr(getattr(app, "router", None), "routes", None)
    if not isinstance(routes, list) or not hasattr(app, "user_middleware"):
        return {"routes": []}
    described: list[AppRoute] = [{"pattern": ".*"}] if app.user_middleware else []
    described += [route for each in routes if (route := _describe(each)) is not None]
    description: HttpAppDescription = {"routes": described}
    if callable(getattr(app, "openapi", None)):
        document = app.openapi()
        description["paths"] = document.get("paths", {})
        description["components"] = document.get("components", {})
    else:
        description["paths"] = _paths(routes)
    routes.append(_make_last_route())
    return description


def _describe(route: Any) -> AppRoute | None:
    """The requests that a route may match; None if these are none of the app's own HTTP requests."""
    if "websocket" in type(route).__name__.lower() or getattr(route, "path", None) in _MADE_BY_FASTAPI:
        return None
    expression = getattr(route, "path_regex", None)
    # Special routes, such as those for a host, may match any path.
    pattern = ".*" if expression is None else _to_javascript(expression)
    methods = getattr(route, "methods", None)
    return {"pattern": pattern} if not methods else {"pattern": pattern, "methods": sorted(methods)}


def _to_javascript(expression: re.Pattern[str]) -> str:
    """The expression for JavaScript, which writes named groups differently; the names are not needed."""
    return re.sub(r"\(\?P<\w+>", "(?:", expression.pattern)


def _paths(routes: list[Any]) -> dict[str, Any]:
    """Describes routes as the paths of an OpenAPI document."""
    paths: dict[str, Any] = {}
    for route in routes:
        for method in sorted(getattr(route, "methods", None) or ()):
            path = re.sub(r"\{(\w+):\w+\}", r"{\1}", route.path)
            names = re.findall(r"\{(\w+)\}", path)
            operation: dict[str, Any] = {"responses": {"200": {"description": "Success"}}}
            if names:
                operation["parameters"] = [
                    {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                    for name in names
                ]
            if method != "HEAD":
                paths.setdefault(path, {})[method.lower()] = operation
    return paths


def _make_last_route() -> Any:
    """A route for requests that no earlier route matches, if the server has an endpoint for them."""
    from starlette.routing import BaseRoute, Match

    class ServerBehind(BaseRoute):
        def matches(self, scope: Any) -> Any:
            is_behind = scope["type"] == "http" and scope.get(BEHIND, False)
            return (Match.FULL if is_behind else Match.NONE), {}

        async def handle(self, scope: Any, receive: Any, send: Any) -> None:
            await _answer(scope, receive, send)

    return ServerBehind()


async def _answer(scope: Message, receive: Any, send: Any) -> None:
    """Forwards a request to the server, until the client has disconnected."""
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    query = scope["query_string"].decode("latin-1")
    path = scope["raw_path"].decode("latin-1") + (f"?{query}" if query else "")
    sending = asyncio.create_task(_send(scope["method"], path, scope["headers"], body, send))
    gone = asyncio.create_task(_until_gone(receive))
    try:
        await asyncio.wait((sending, gone), return_when=asyncio.FIRST_COMPLETED)
        if not sending.done():
            sending.cancel()
        # An error of the server's answer is raised here, but not the cancellation.
        await asyncio.gather(sending, return_exceptions=not sending.done())
    finally:
        gone.cancel()


async def _until_gone(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _send(method: str, path: str, headers: Any, body: bytes, send: Any) -> None:
    async with pass_on(method, path, headers, body) as response:
        headers = _message_headers(response)
        await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
        async for chunk in response.aiter_raw():
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


#: Headers that describe the connection to the server, not the message.
_CONNECTION_HEADERS = {b"connection", b"keep-alive", b"transfer-encoding", b"content-length", b"date"}


def _message_headers(response: Any) -> list[tuple[bytes, bytes]]:
    """The headers of a response without those that describe the connection."""
    headers = [(name.lower(), value) for name, value in response.headers.raw]
    return [(name, value) for name, value in headers if name not in _CONNECTION_HEADERS]
