"""Intercepts requests of aiohttp. In a replay, its own parser reads recorded responses from a
connection without a server. Otherwise, responses are recorded while they arrive.
"""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import Future
from typing import Any
from weakref import WeakKeyDictionary

from .exchanges import OpenExchange, RecordedResponse, ReplayDivergence, describe_request, exchanges_for
from .failures import recorded_failure
from .replaced import ReplacedAttributes


class _Connections:
    """The exchanges on the connections of aiohttp. The request is known when a connection is made, the
    head when a response starts, and the body arrives in the response's stream. These tables connect the
    three.
    """

    def __init__(self) -> None:
        #: By connection: the exchange that is being requested on it.
        self.asked: WeakKeyDictionary[Any, OpenExchange] = WeakKeyDictionary()
        #: By the `id()` of a stream: the exchange whose body it receives.
        self.received: dict[int, OpenExchange] = {}
        #: Connections that failed when they were recorded.
        self.failing: WeakKeyDictionary[Any, Exception] = WeakKeyDictionary()
        #: How many received parts of each connection are waiting to be stored. Meanwhile, the connection
        #: receives no more data.
        self.storing: dict[int, int] = {}

    def end(self, stream: Any, *, cut: bool = False, error: BaseException | None = None) -> None:
        """Ends the exchange that a stream receives, if any."""
        exchange = self.received.pop(id(stream), None)
        if exchange is not None:
            exchange.end(cut=cut, error=error)

    def hold(self, stream: Any, stored: Future[Any]) -> None:
        """Stops receiving on a connection until a part of the body has been stored."""
        protocol = stream._protocol
        self.storing[id(protocol)] = self.storing.get(id(protocol), 0) + 1
        protocol.pause_reading()

        def release() -> None:
            count = self.storing.pop(id(protocol)) - 1
            if count:
                self.storing[id(protocol)] = count
            elif protocol.transport is not None and stream._size < stream._low_water:
                protocol.resume_reading()

        loop = asyncio.get_running_loop()
        stored.add_done_callback(lambda _: loop.call_soon_threadsafe(release))


def intercept_aiohttp(aiohttp: Any, replaced: ReplacedAttributes) -> None:
    """Replaces the methods of aiohttp that connect, start a response, and receive its body."""
    connections = _Connections()
    _intercept_connect(aiohttp, replaced, connections)
    _intercept_start(aiohttp, replaced, connections)
    _intercept_body(aiohttp, replaced, connections)


def _intercept_connect(aiohttp: Any, replaced: ReplacedAttributes, connections: _Connections) -> None:
    """Answers requests from the recording, or begins to record them."""
    connector = aiohttp.connector.BaseConnector
    connect = connector.connect

    async def intercepted_connect(self: Any, req: Any, *args: Any, **options: Any) -> Any:
        run = exchanges_for(str(req.url))
        if run is None or (_is_upgrade(req) and not run.is_replay):
            return await connect(self, req, *args, **options)
        described = describe_request(req.method, _url_of(req), req.headers.items(), await _read_body(req))
        if run.is_replay:

            def fail(error: Any) -> Exception:
                message = (error or {}).get("message")
                attributes = {"_conn_key": req.connection_key, "_os_error": OSError(message)}
                return recorded_failure(error, aiohttp, **attributes)

            try:
                recorded = run.accept(await asyncio.wrap_future(run.ask(described)), fail)
            except ReplayDivergence:
                raise
            except Exception as error:
                connection = _connect_nowhere(aiohttp, self, req)
                connections.failing[connection] = error
                return connection
            if recorded is None:
                return await connect(self, req, *args, **options)
            return _connect_nowhere(aiohttp, self, req, recorded)
        req.headers["Accept-Encoding"] = "identity"
        exchange = run.begin(described)
        with exchange.sending():
            connection = await connect(self, req, *args, **options)
        connections.asked[connection] = exchange
        return connection

    replaced.replace(connector, "connect", intercepted_connect)


def _intercept_start(aiohttp: Any, replaced: ReplacedAttributes, connections: _Connections) -> None:
    """Records the head of a response, and the part of its body that arrived with it. Raises the recorded
    error if the connection failed in the recording.
    """
    response_class = aiohttp.ClientResponse
    start = response_class.start

    async def intercepted_start(self: Any, connection: Any) -> Any:
        failure = connections.failing.pop(connection, None)
        if failure is not None:
            raise failure
        exchange = connections.asked.pop(connection, None)
        if exchange is None:
            return await start(self, connection)
        with exchange.sending():
            answer = await start(self, connection)
        # The parser has decoded the body.
        headers = [item for item in self.headers.items() if item[0].lower() != "content-encoding"]
        exchange.answered(self.status, headers)
        content = self.content
        for piece in getattr(content, "_buffer", ()):
            exchange.add(bytes(piece))
        if content.is_eof():
            exchange.end()
        else:
            connections.received[id(content)] = exchange
        return answer

    replaced.replace(response_class, "start", intercepted_start)


def _intercept_body(aiohttp: Any, replaced: ReplacedAttributes, connections: _Connections) -> None:
    """Records the body of a response while it arrives, no faster than it is stored."""
    reader = aiohttp.StreamReader
    feed_data, feed_eof, set_exception = reader.feed_data, reader.feed_eof, reader.set_exception
    protocol_class = aiohttp.base_protocol.BaseProtocol
    resume_reading = protocol_class.resume_reading

    def intercepted_feed_data(self: Any, data: bytes, *args: Any, **options: Any) -> Any:
        exchange = connections.received.get(id(self))
        stored = exchange.add(bytes(data)) if exchange is not None and data else None
        fed = feed_data(self, data, *args, **options)
        if stored is not None:
            connections.hold(self, stored)
        return fed

    def intercepted_resume_reading(self: Any, *args: Any, **options: Any) -> Any:
        return None if id(self) in connections.storing else resume_reading(self, *args, **options)

    def intercepted_feed_eof(self: Any) -> None:
        connections.end(self)
        feed_eof(self)

    def intercepted_set_exception(self: Any, error: Any, *args: Any, **options: Any) -> None:
        connections.end(self, cut=True, error=error if isinstance(error, BaseException) else None)
        set_exception(self, error, *args, **options)

    replaced.replace(protocol_class, "resume_reading", intercepted_resume_reading)
    replaced.replace(reader, "feed_data", intercepted_feed_data)
    replaced.replace(reader, "feed_eof", intercepted_feed_eof)
    replaced.replace(reader, "set_exception", intercepted_set_exception)


async def _read_body(req: Any) -> bytes | None:
    body = req.body
    if not body:
        return None
    return body if isinstance(body, bytes) else bytes(await body.as_bytes())


def _is_upgrade(req: Any) -> bool:
    return bool(req.headers.get("Upgrade"))


def _url_of(req: Any) -> str:
    """The URL of a request; with `ws` for a WebSocket, so that no recorded request equals it."""
    return re.sub("^http", "ws", str(req.url)) if _is_upgrade(req) else str(req.url)


def _connect_nowhere(
    aiohttp: Any, connector: Any, req: Any, recorded: RecordedResponse | None = None
) -> Any:
    """A connection without a server, which provides the recorded response if there is one."""
    loop = asyncio.get_running_loop()
    protocol = aiohttp.client_proto.ResponseHandler(loop)
    transport = _Nowhere()
    protocol.connection_made(transport)
    if recorded is not None:
        bodiless = recorded.status < 200 or recorded.status in (204, 304)
        # The head is parsed once the client has set its parser's options, which it does before it
        # waits for anything.
        protocol.data_received(_head(recorded, bodiless))
        if not bodiless:
            transport.feeding = loop.create_task(_feed(protocol, transport, recorded))
    return _RecordedConnection(connector, req.connection_key, protocol, loop)


async def _feed(protocol: Any, transport: _Nowhere, recorded: RecordedResponse) -> None:
    """Passes the recorded body to the client's parser, as fast as the client reads it."""
    try:
        async for piece in recorded.pieces_async():
            await transport.flowing.wait()
            if piece:
                protocol.data_received(_chunk(piece))
        protocol.data_received(b"0\r\n\r\n")
    except Exception as error:
        # The reader gets the error, and the connection is not used again.
        payload = getattr(protocol, "_payload", None)
        if payload is None:
            protocol.connection_lost(error)
        else:
            payload.set_exception(error)


def _head(recorded: RecordedResponse, bodiless: bool) -> bytes:
    headers = [(name, value) for name, value in recorded.headers if name.lower() != "connection"]
    lines = [f"HTTP/1.1 {recorded.status} Recorded", *(f"{name}: {value}" for name, value in headers)]
    lines += [] if bodiless else ["transfer-encoding: chunked"]
    return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")


def _chunk(piece: bytes) -> bytes:
    return f"{len(piece):x}\r\n".encode() + piece + b"\r\n"


class _Nowhere(asyncio.Transport):
    """A transport that drops all data that is written to it."""

    def __init__(self) -> None:
        super().__init__()
        #: The task that feeds received data to the parser; canceled when the transport is closed.
        self.feeding: asyncio.Task[None] | None = None
        self.flowing = asyncio.Event()
        self.flowing.set()
        self._closing = False

    def write(self, data: Any) -> None:
        pass

    def writelines(self, data: Any) -> None:
        pass

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        self._closing = True
        if self.feeding is not None:
            self.feeding.cancel()

    def abort(self) -> None:
        self.close()

    def pause_reading(self) -> None:
        self.flowing.clear()

    def resume_reading(self) -> None:
        self.flowing.set()


class _RecordedConnection:
    """A connection that belongs to no pool."""

    def __init__(self, connector: Any, key: Any, protocol: Any, loop: Any) -> None:
        self._connector, self._key, self._loop = connector, key, loop
        self.protocol = protocol

    @property
    def transport(self) -> Any:
        return None if self.protocol is None else self.protocol.transport

    @property
    def closed(self) -> bool:
        return self.protocol is None

    def add_callback(self, callback: Any) -> None:
        pass

    def close(self) -> None:
        if self.protocol is not None:
            self.protocol.close()
        self.protocol = None

    def release(self) -> None:
        self.close()
