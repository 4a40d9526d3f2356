"""Lets graphs, apps and auth handlers call their own agent server with `get_client()`, with the
rights of the user for whom they run.

Without a URL, the public SDK imports `langgraph_api` to find the server. This module provides
modules of that name, which load nothing until a client is made.
"""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from ..link.relay import relay_to
from ..process.logs import current_run
from ..protocol import AuthUser, JsonObject, ServerAccess

#: Marks a request from the project's own code: `<token>.<initiator>` (see in-process.ts of the
#: protocol).
_HEADER = "agent-harbor-in-process"

#: Marks a request of a client that the project's `http.app` has passed on. Contains the same token,
#: a space, and the Host that the client sent.
_PASSED_ON_HEADER = "agent-harbor-passed-on"

#: The user for whom the current code runs, as the project's own `auth` authenticated them.
current_user: ContextVar[AuthUser | None] = ContextVar("current_user", default=None)

_server: ServerAccess = {"token": ""}


def offer(server: ServerAccess | None) -> None:
    """Lets the SDK find the server. Called before the project's modules are imported."""
    if server is None:
        return
    _server.update(server)
    relay_to(server.get("url"))
    package = sys.modules.get("langgraph_api") or ModuleType("langgraph_api")
    sys.modules.setdefault("langgraph_api", package)
    # The SDK only checks that the server module exists.
    _provide("langgraph_api.server", {"app": object()})
    module = _provide("langgraph_api.asgi_transport", {})
    module.__getattr__ = _transport  # type: ignore[method-assign]


def announce(url: str) -> None:
    """Called when the server has begun to listen at this URL."""
    relay_to(url)
    _server["url"] = url


@asynccontextmanager
async def pass_on(method: str, path: str, headers: Any, body: bytes) -> AsyncIterator[Any]:
    """Forwards to the server a request that the project's own app has received, on behalf of its
    sender.
    """
    import httpx

    own = [(name, value) for name, value in headers if name not in (b"host", b"content-length")]
    host = next((value for name, value in headers if name == b"host"), b"")
    own.append((_PASSED_ON_HEADER.encode(), _server["token"].encode() + b" " + host))
    # No time limit, because waiting for a run may take long.
    async with httpx.AsyncClient(timeout=None, trust_env=False) as client:
        async with client.stream(method, _url() + path, headers=own, content=body) as response:
            yield response


def user_of(configurable: JsonObject) -> AuthUser | None:
    """The user that a run's `configurable` names, in the fields that the server writes."""
    identity = configurable.get("langgraph_auth_user_id")
    if not isinstance(identity, str):
        return None
    permissions = configurable.get("langgraph_auth_permissions") or ()
    fields = configurable.get("langgraph_auth_user")
    return {
        "identity": identity,
        "permissions": [str(item) for item in permissions],
        "fields": fields if isinstance(fields, dict) else {},
    }


def _provide(name: str, attributes: dict[str, Any]) -> ModuleType:
    module = ModuleType(name)
    module.__dict__.update(attributes)
    sys.modules[name] = module
    return module


def _transport(name: str) -> Any:
    if name != "ASGITransport":
        raise AttributeError(name)
    import httpx

    class InProcessTransport(httpx.AsyncBaseTransport):
        """Sends a client's requests to the server; a client may be used on any event loop."""

        def __init__(self, app: Any = None, **_: Any) -> None:
            self._by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncHTTPTransport] = (
                WeakKeyDictionary()
            )

        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            url = httpx.URL(_url())
            request.url = request.url.copy_with(scheme=url.scheme, host=url.host, port=url.port)
            request.headers["host"] = url.netloc.decode()
            request.headers[_HEADER] = f"{_server['token']}.{_initiator()}"
            loop = asyncio.get_running_loop()
            transport = self._by_loop.setdefault(loop, httpx.AsyncHTTPTransport())
            return await transport.handle_async_request(request)

        async def aclose(self) -> None:
            transport = self._by_loop.pop(asyncio.get_running_loop(), None)
            if transport is not None:
                await transport.aclose()

    return InProcessTransport


def _url() -> str:
    url = _server.get("url")
    if url is None:
        raise RuntimeError(
            "The agent server is not listening yet. Call it from a node, not while a module is imported."
        )
    return url


def _initiator() -> str:
    run_id, user = current_run.get(), current_user.get()
    initiator = {**({} if run_id is None else {"run_id": run_id}), **({} if user is None else {"user": user})}
    return base64.urlsafe_b64encode(json.dumps(initiator, default=str).encode()).decode().rstrip("=")
