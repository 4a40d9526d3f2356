"""Serves `http.app`: an ASGI application, such as one of FastAPI or Starlette. The app answers its own
paths. Its middleware also handles requests for the server's endpoints: those that no route of the
app answers are forwarded to the server.
"""

from __future__ import annotations

import asyncio
import base64
from typing import Any
from urllib.parse import unquote, urlsplit

from ..context.authenticated_user import AuthenticatedUser
from ..context.in_process import current_user
from ..errors.runtime_error import GraphLoadError, ProjectError, ReturnValueError, describe_error
from ..errors.source_places import error_place
from ..link.connection import Connection
from ..process.logs import log
from ..protocol import HttpAppDescription, HttpCancelParams, HttpRequestParams, HttpResponseHead
from .app_routes import BEHIND, prepare_app
from .extras import Extras

Message = dict[str, Any]


class CustomApp:
    """The project's own HTTP app (`http.app`), which answers requests for its routes."""

    def __init__(self, extras: Extras, connection: Connection) -> None:
        self._extras = extras
        self._connection = connection
        self._lifespan: asyncio.Task[None] | None = None
        self._exchanges: dict[str, _Exchange] = {}
        self._starting = asyncio.Lock()

    def describe(self) -> HttpAppDescription:
        """Loads the app, adds the route that forwards requests to the server, and describes its routes."""
        app = self._extras.load_now("http_app")
        if not callable(app):
            raise GraphLoadError("http.app must be an ASGI application, such as a FastAPI or Starlette app.")
        return prepare_app(app)

    async def request(self, params: HttpRequestParams) -> HttpResponseHead:
        """Lets the app answer a request. Returns the head of the response as soon as it is known; the
        body follows in notifications.
        """
        app = await self._extras.load("http_app")
        current_user.set(params.get("user"))
        async with self._starting:
            if self._lifespan is None:
                self._lifespan = await _begin_lifespan(app)
        exchange = _Exchange(self._connection, params)
        self._exchanges[params["request_id"]] = exchange
        task = asyncio.create_task(exchange.run(app))
        task.add_done_callback(lambda _: self._exchanges.pop(params["request_id"], None))
        return await exchange.head

    async def cancel(self, params: HttpCancelParams) -> dict[str, Any]:
        """Tells the app that the client has gone. Requests that have ended are ignored."""
        exchange = self._exchanges.get(params["request_id"])
        if exchange is not None:
            exchange.gone.set()
        return {}


class _Exchange:
    """A request that the app answers."""

    def __init__(self, connection: Connection, params: HttpRequestParams) -> None:
        self._connection = connection
        self._params = params
        self._has_body = True
        self._start: Message | None = None
        self.head: asyncio.Future[HttpResponseHead] = asyncio.get_running_loop().create_future()
        self.gone = asyncio.Event()

    async def run(self, app: Any) -> None:
        """Calls the app. `head` gets the head of its response, or the error if there is none."""
        try:
            await app(_scope(self._params), self._receive, self._send)
            if not self.head.done():
                raise ReturnValueError("http.app did not return a response.")
        except BaseException as thrown:
            # The request needs an answer, whatever ended the app.
            error = _as_failure(thrown)
            description = describe_error(error)
            text = description.get("stack", description["message"])
            log(self._connection, "error", f"http.app failed: {text}")
            if self.head.done():
                self._send_body(b"", done=True)
            else:
                self.head.set_exception(error)

    async def _receive(self) -> Message:
        if self._has_body:
            self._has_body = False
            body = self._params["body"]
            return {"type": "http.request", "body": base64.b64decode(body or ""), "more_body": False}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [
                (name.decode("latin-1"), value.decode("latin-1")) for name, value in message["headers"]
            ]
            self.head.set_result({"status": message["status"], "headers": headers})
            await asyncio.sleep(0)  # The head is sent first, as the answer to the request.
        elif message["type"] == "http.response.body" and not self.gone.is_set():
            self._send_body(message.get("body", b""), done=not message.get("more_body", False))

    def _send_body(self, data: bytes, *, done: bool) -> None:
        self._connection.notify(
            "http.body",
            {"request_id": self._params["request_id"], "data": base64.b64encode(data).decode(), "done": done},
        )


class _Credentials:
    """The credentials that Starlette's `requires` checks."""

    def __init__(self, scopes: list[str]) -> None:
        self.scopes = ["authenticated", *scopes]


def _as_failure(error: BaseException) -> Exception:
    """The error to report. Errors that would end the process or cancel a task end only the request."""
    if isinstance(error, Exception):
        return error
    if isinstance(error, SystemExit):
        message = (
            f"sys.exit({error.code!r}) was called, which stops only this request, not the process. "
            "Raise an exception instead."
        )
    else:
        message = f"{type(error).__name__} was raised. Raise an Exception instead."
    failure = ProjectError(message, error_place(error))
    failure.__cause__ = error
    return failure


def _scope(params: HttpRequestParams) -> Message:
    """The ASGI scope of a request."""
    url = urlsplit(params["url"])
    user = params.get("user")
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": params["method"],
        "scheme": url.scheme,
        "path": unquote(url.path),
        "raw_path": url.path.encode(),
        "query_string": url.query.encode(),
        "root_path": "",
        "headers": [
            (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in params["headers"]
        ],
        "client": ("127.0.0.1", 0),
        "server": (url.hostname or "localhost", url.port),
        "state": {},
        BEHIND: params.get("behind", False),
        **({"user": AuthenticatedUser(user), "auth": _Credentials(user["permissions"])} if user else {}),
    }


async def _begin_lifespan(app: Any) -> asyncio.Task[None]:
    """Runs the startup of an application, and returns the task of its lifespan. An application may
    raise if it does not support lifespans.
    """
    started: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    asked = False

    async def receive() -> Message:
        nonlocal asked
        if not asked:
            asked = True
            return {"type": "lifespan.startup"}
        # The shutdown is never requested, because the process exits without it.
        return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]

    async def send(message: Message) -> None:
        if message["type"] == "lifespan.startup.failed":
            started.set_exception(GraphLoadError(f"http.app failed to start: {message.get('message', '')}"))
        elif not started.done():
            started.set_result(None)

    async def run() -> None:
        try:
            await app({"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}, receive, send)
        except Exception:
            pass  # The application does not support lifespans.
        finally:
            if not started.done():
                started.set_result(None)

    task = asyncio.create_task(run())
    await started
    return task
