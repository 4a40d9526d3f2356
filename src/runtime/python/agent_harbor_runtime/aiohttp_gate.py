"""
A gate before aiohttp: recorded answers are read from a connection that goes nowhere, by its own parser; what is answered
otherwise is kept while it is received.
"""

from __future__ import annotations

import asyncio
from typing import Any
from weakref import WeakKeyDictionary

from .exchanges import OpenExchange, describe_request, exchanges_for, recorded_headers, recorded_pieces


def gate_aiohttp(aiohttp: Any) -> None:
    connector = aiohttp.connector.BaseConnector
    response_class = aiohttp.ClientResponse
    reader = aiohttp.StreamReader
    connect, start = connector.connect, response_class.start
    feed_data, feed_eof, set_exception = reader.feed_data, reader.feed_eof, reader.set_exception
    #: What is asked on a connection, and what is received.
    asked: WeakKeyDictionary[Any, OpenExchange] = WeakKeyDictionary()
    received: dict[int, OpenExchange] = {}

    async def gated_connect(self: Any, req: Any, *args: Any, **options: Any) -> Any:
        run = exchanges_for(str(req.url))
        if run is None or req.headers.get("Upgrade"):
            return await connect(self, req, *args, **options)
        described = describe_request(req.method, str(req.url), req.headers.items(), await _read_body(req))
        if run.is_replay:
            response = run.accept(await asyncio.wrap_future(run.ask(described)))
            if response is not None:
                return _recorded_connection(aiohttp, self, req, response)
            return await connect(self, req, *args, **options)
        req.headers["Accept-Encoding"] = "identity"
        exchange = run.begin(described)
        try:
            connection = await connect(self, req, *args, **options)
        except BaseException as error:
            exchange.failed(error)
            raise
        asked[connection] = exchange
        return connection

    async def gated_start(self: Any, connection: Any) -> Any:
        exchange = asked.pop(connection, None)
        if exchange is None:
            return await start(self, connection)
        try:
            answer = await start(self, connection)
        except BaseException as error:
            exchange.failed(error)
            raise
        # The parser has decoded it.
        exchange.answered(
            self.status, [(name, value) for name, value in self.headers.items() if name.lower() != "content-encoding"]
        )
        content = self.content
        exchange.pieces.extend(getattr(content, "_buffer", ()))
        if content.is_eof():
            exchange.end()
        else:
            received[id(content)] = exchange
        return answer

    def gated_feed_data(self: Any, data: bytes, *args: Any, **options: Any) -> Any:
        exchange = received.get(id(self)) if received else None
        if exchange is not None and data:
            exchange.pieces.append(bytes(data))
        return feed_data(self, data, *args, **options)

    def gated_feed_eof(self: Any) -> None:
        exchange = received.pop(id(self), None) if received else None
        if exchange is not None:
            exchange.end()
        feed_eof(self)

    def gated_set_exception(self: Any, *args: Any, **options: Any) -> None:
        exchange = received.pop(id(self), None) if received else None
        if exchange is not None:
            exchange.end(cut=True)
        set_exception(self, *args, **options)

    connector.connect = gated_connect
    response_class.start = gated_start
    reader.feed_data = gated_feed_data
    reader.feed_eof = gated_feed_eof
    reader.set_exception = gated_set_exception


async def _read_body(req: Any) -> bytes | None:
    body = req.body
    if not body:
        return None
    return body if isinstance(body, bytes) else bytes(await body.as_bytes())


def _recorded_connection(aiohttp: Any, connector: Any, req: Any, response: Any) -> Any:
    loop = asyncio.get_running_loop()
    protocol = aiohttp.client_proto.ResponseHandler(loop)
    protocol.connection_made(_Nowhere())
    # It is parsed once the client says how.
    protocol.data_received(_as_http(response))
    return _RecordedConnection(connector, req.connection_key, protocol, loop)


def _as_http(response: Any) -> bytes:
    headers = [(name, value) for name, value in recorded_headers(response) if name.lower() != "connection"]
    lines = [f"HTTP/1.1 {response['status']} Recorded", *(f"{name}: {value}" for name, value in headers)]
    bodiless = response["status"] < 200 or response["status"] in (204, 304)
    chunks = b"" if bodiless else b"".join(_chunk(piece) for piece in recorded_pieces(response) if piece)
    lines += [] if bodiless else ["transfer-encoding: chunked"]
    end = b"" if bodiless or response.get("cut") else b"0\r\n\r\n"
    return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + chunks + end


def _chunk(piece: bytes) -> bytes:
    return f"{len(piece):x}\r\n".encode() + piece + b"\r\n"


class _Nowhere(asyncio.Transport):
    """What is written to it is lost."""

    _closing = False

    def write(self, data: Any) -> None:
        pass

    def writelines(self, data: Any) -> None:
        pass

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        self._closing = True

    def abort(self) -> None:
        self._closing = True

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass


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
        self.protocol = None

    def release(self) -> None:
        self.protocol = None
