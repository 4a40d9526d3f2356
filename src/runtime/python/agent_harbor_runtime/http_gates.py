"""Gates before the HTTP clients of Python, put there when the first recorded or replayed run begins."""

from __future__ import annotations

import asyncio
import importlib
import io
from collections.abc import AsyncIterator, Iterator
from contextvars import ContextVar
from types import ModuleType
from typing import Any

from .aiohttp_gate import gate_aiohttp
from .exchanges import (
    OpenExchange,
    describe_request,
    exchanges_for,
    recorded_headers,
    recorded_pieces,
)

_opened = False

#: A request that is sent by another one, such as a retry, is a part of it.
_sending: ContextVar[bool] = ContextVar("sending", default=False)


def open_gates() -> None:
    """Clients that a project does not have are left out. A client looks its transport up for every request."""
    global _opened
    if _opened:
        return
    _opened = True
    for name in ("httpx", "httpx2"):
        module = _imported(name)
        if module is not None:
            _gate_httpx(module)
    urllib3 = _imported("urllib3")
    if urllib3 is not None:
        _gate_urllib3(urllib3)
    aiohttp = _imported("aiohttp")
    if aiohttp is not None:
        gate_aiohttp(aiohttp)


def _imported(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _gate_httpx(httpx: Any) -> None:
    send = httpx.HTTPTransport.handle_request
    send_async = httpx.AsyncHTTPTransport.handle_async_request

    class KeptStream(httpx.SyncByteStream):  # type: ignore[misc]
        def __init__(self, stream: Any, exchange: OpenExchange) -> None:
            self._stream, self._exchange = stream, exchange

        def __iter__(self) -> Iterator[bytes]:
            for piece in self._stream:
                self._exchange.pieces.append(piece)
                yield piece
            self._exchange.end()

        def close(self) -> None:
            self._exchange.end(cut=True)
            self._stream.close()

    class KeptAsyncStream(httpx.AsyncByteStream):  # type: ignore[misc]
        def __init__(self, stream: Any, exchange: OpenExchange) -> None:
            self._stream, self._exchange = stream, exchange

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for piece in self._stream:
                self._exchange.pieces.append(piece)
                yield piece
            self._exchange.end()

        async def aclose(self) -> None:
            self._exchange.end(cut=True)
            await self._stream.aclose()

    class RecordedStream(httpx.SyncByteStream, httpx.AsyncByteStream):  # type: ignore[misc]
        def __init__(self, pieces: list[bytes]) -> None:
            self._pieces = pieces

        def __iter__(self) -> Iterator[bytes]:
            yield from self._pieces

        async def __aiter__(self) -> AsyncIterator[bytes]:
            for piece in self._pieces:
                yield piece

    def describe(request: Any, body: bytes) -> Any:
        return describe_request(request.method, str(request.url), request.headers.multi_items(), body)

    def recorded(response: Any) -> Any:
        return httpx.Response(
            response["status"],
            headers=recorded_headers(response),
            stream=RecordedStream(recorded_pieces(response)),
        )

    def ask_for_plain(request: Any) -> None:
        request.headers["accept-encoding"] = "identity"

    def handle_request(self: Any, request: Any) -> Any:
        run = exchanges_for(str(request.url))
        if run is None:
            return send(self, request)
        described = describe(request, request.read())
        if run.is_replay:
            response = run.accept(run.ask(described).result())
            return send(self, request) if response is None else recorded(response)
        ask_for_plain(request)
        exchange = run.begin(described)
        try:
            answer = send(self, request)
        except BaseException as error:
            exchange.failed(error)
            raise
        exchange.answered(answer.status_code, answer.headers.multi_items())
        answer.stream = KeptStream(answer.stream, exchange)
        return answer

    async def handle_async_request(self: Any, request: Any) -> Any:
        run = exchanges_for(str(request.url))
        if run is None:
            return await send_async(self, request)
        described = describe(request, await request.aread())
        if run.is_replay:
            response = run.accept(await asyncio.wrap_future(run.ask(described)))
            return await send_async(self, request) if response is None else recorded(response)
        ask_for_plain(request)
        exchange = run.begin(described)
        try:
            answer = await send_async(self, request)
        except BaseException as error:
            exchange.failed(error)
            raise
        exchange.answered(answer.status_code, answer.headers.multi_items())
        answer.stream = KeptAsyncStream(answer.stream, exchange)
        return answer

    httpx.HTTPTransport.handle_request = handle_request
    httpx.AsyncHTTPTransport.handle_async_request = handle_async_request


def _gate_urllib3(urllib3: Any) -> None:
    pool = urllib3.connectionpool.HTTPConnectionPool
    send = pool.urlopen

    def made(self: Any, method: str, status: int, headers: Any, data: bytes, preload: bool) -> Any:
        return urllib3.HTTPResponse(
            body=io.BytesIO(data),
            headers=urllib3.HTTPHeaderDict(headers),
            status=status,
            request_method=method,
            preload_content=preload,
        )

    def urlopen(self: Any, method: str, url: str, body: Any = None, headers: Any = None, **options: Any) -> Any:
        port = "" if self.port is None else f":{self.port}"
        address = url if "://" in url else f"{self.scheme}://{self.host}{port}{url}"
        run = None if _sending.get() else exchanges_for(address)
        # What is read from a file or a generator is sent as it comes.
        if run is None or not (body is None or isinstance(body, (bytes, str))):
            return send(self, method, url, body, headers, **options)
        data = body.encode() if isinstance(body, str) else body
        described = describe_request(method, address, _pairs(headers), data)
        preload = options.pop("preload_content", True)
        token = _sending.set(True)
        try:
            if run.is_replay:
                response = run.accept(run.ask(described).result())
                if response is None:
                    return send(self, method, url, body, headers, preload_content=preload, **options)
                pieces = b"".join(recorded_pieces(response))
                return made(self, method, response["status"], recorded_headers(response), pieces, preload)
            exchange = run.begin(described)
            try:
                answer = send(self, method, url, body, headers, preload_content=False, **options)
                content = answer.read(decode_content=True)
            except BaseException as error:
                exchange.failed(error)
                raise
        finally:
            _sending.reset(token)
        plain = [(name, value) for name, value in answer.headers.items() if name.lower() != "content-encoding"]
        exchange.answered(answer.status, plain)
        exchange.pieces.append(content)
        exchange.end()
        answer.release_conn()
        return made(self, method, answer.status, recorded_headers({"headers": plain}), content, preload)  # type: ignore[typeddict-item]

    pool.urlopen = urlopen


def _pairs(headers: Any) -> list[tuple[str, str]]:
    return [(str(name), _text(value)) for name, value in dict(headers or {}).items()]


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
