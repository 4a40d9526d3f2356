"""Interceptors of the HTTP clients of Python, installed while a run is recorded or replayed."""

from __future__ import annotations

import asyncio
import importlib
import io
from collections.abc import AsyncIterator, Iterator
from contextvars import ContextVar
from types import ModuleType
from typing import Any

from .aiohttp_interceptor import intercept_aiohttp
from .bodies import headers_of_plain
from .exchanges import (
    OpenExchange,
    RecordedResponse,
    RunExchanges,
    describe_request,
    exchanges_for,
)
from .failures import recorded_failure
from .piece_reader import PieceReader
from .replaced import ReplacedAttributes

#: How many bytes of a body without chunks are read at once.
_READ_BYTES = 65_536

#: Marks a request that is sent as part of another one, such as a retry.
_sending: ContextVar[bool] = ContextVar("sending", default=False)


def install_interceptors(replaced: ReplacedAttributes) -> None:
    """Intercepts the HTTP clients that are installed. This also affects existing instances, because
    a client looks up its transport's method for every request.
    """
    for name in ("httpx", "httpx2"):
        module = _imported(name)
        if module is not None:
            _intercept_httpx(module, replaced)
    urllib3 = _imported("urllib3")
    if urllib3 is not None:
        _intercept_urllib3(urllib3, replaced)
    aiohttp = _imported("aiohttp")
    if aiohttp is not None:
        intercept_aiohttp(aiohttp, replaced)


def _imported(name: str) -> ModuleType | None:
    """Imports a module; None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _intercept_httpx(httpx: Any, replaced: ReplacedAttributes) -> None:
    send = httpx.HTTPTransport.handle_request
    send_async = httpx.AsyncHTTPTransport.handle_async_request

    kept_stream, kept_async_stream, recorded_stream = _stream_classes(httpx)

    def describe(request: Any, body: bytes) -> Any:
        return describe_request(request.method, str(request.url), request.headers.multi_items(), body)

    def accept(run: RunExchanges, request: Any, answer: Any) -> Any:
        """The recorded response; None when the request is to be sent."""
        recorded = run.accept(answer, lambda error: recorded_failure(error, httpx, _request=request))
        if recorded is None:
            return None
        return httpx.Response(recorded.status, headers=recorded.headers, stream=recorded_stream(recorded))

    def ask_uncompressed(request: Any) -> None:
        # In compressed data, neither secrets nor the borders of chunks can be found.
        request.headers["accept-encoding"] = "identity"

    def handle_request(self: Any, request: Any) -> Any:
        run = exchanges_for(str(request.url))
        if run is None:
            return send(self, request)
        described = describe(request, request.read())
        if run.is_replay:
            return accept(run, request, run.ask_now(described)) or send(self, request)
        ask_uncompressed(request)
        exchange = run.begin(described)
        with exchange.sending():
            answer = send(self, request)
        exchange.answered(answer.status_code, answer.headers.multi_items())
        answer.stream = kept_stream(answer.stream, exchange)
        return answer

    async def handle_async_request(self: Any, request: Any) -> Any:
        run = exchanges_for(str(request.url))
        if run is None:
            return await send_async(self, request)
        described = describe(request, await request.aread())
        if run.is_replay:
            answer = await asyncio.wrap_future(run.ask(described))
            return accept(run, request, answer) or await send_async(self, request)
        ask_uncompressed(request)
        exchange = run.begin(described)
        with exchange.sending():
            answer = await send_async(self, request)
        exchange.answered(answer.status_code, answer.headers.multi_items())
        answer.stream = kept_async_stream(answer.stream, exchange)
        return answer

    replaced.replace(httpx.HTTPTransport, "handle_request", handle_request)
    replaced.replace(httpx.AsyncHTTPTransport, "handle_async_request", handle_async_request)


def _stream_classes(httpx: Any) -> tuple[Any, Any, Any]:
    """Makes the classes of response bodies: two for bodies that are recorded while they are read, by
    synchronous and by asynchronous clients, and one for recorded bodies.
    """

    class KeptStream(httpx.SyncByteStream):  # type: ignore[misc]
        """A body that is recorded while it is read."""

        def __init__(self, stream: Any, exchange: OpenExchange) -> None:
            self._stream, self._exchange = stream, exchange

        def __iter__(self) -> Iterator[bytes]:
            with self._exchange.reading():
                for piece in self._stream:
                    self._exchange.keep(piece)
                    yield piece

        def close(self) -> None:
            self._exchange.end(cut=True)
            self._stream.close()

    class KeptAsyncStream(httpx.AsyncByteStream):  # type: ignore[misc]
        """Like KeptStream, for asynchronous clients."""

        def __init__(self, stream: Any, exchange: OpenExchange) -> None:
            self._stream, self._exchange = stream, exchange

        async def __aiter__(self) -> AsyncIterator[bytes]:
            with self._exchange.reading():
                async for piece in self._stream:
                    await self._exchange.keep_async(piece)
                    yield piece

        async def aclose(self) -> None:
            self._exchange.end(cut=True)
            await self._stream.aclose()

    class RecordedStream(httpx.SyncByteStream, httpx.AsyncByteStream):  # type: ignore[misc]
        """The body of a recorded response."""

        def __init__(self, recorded: RecordedResponse) -> None:
            self._recorded = recorded

        def __iter__(self) -> Iterator[bytes]:
            return self._recorded.pieces()

        def __aiter__(self) -> AsyncIterator[bytes]:
            return self._recorded.pieces_async()

    return KeptStream, KeptAsyncStream, RecordedStream


def _intercept_urllib3(urllib3: Any, replaced: ReplacedAttributes) -> None:
    pool = urllib3.connectionpool.HTTPConnectionPool
    send = pool.urlopen

    def make_response(
        method: str, status: int, headers: Any, pieces: Iterator[bytes], *, preload: bool
    ) -> Any:
        return urllib3.HTTPResponse(
            body=io.BufferedReader(PieceReader(pieces)),
            headers=urllib3.HTTPHeaderDict(headers),
            status=status,
            request_method=method,
            preload_content=preload,
        )

    def urlopen(
        self: Any, method: str, url: str, body: Any = None, headers: Any = None, **options: Any
    ) -> Any:
        port = "" if self.port is None else f":{self.port}"
        address = url if "://" in url else f"{self.scheme}://{self.host}{port}{url}"
        run = None if _sending.get() else exchanges_for(address)
        if run is None:
            return send(self, method, url, body, headers, **options)
        data = _read_body(body)
        if not isinstance(body, str):
            # A file or a generator can be read only once.
            body = data
        described = describe_request(method, address, _pairs(headers), data)
        preload = options.pop("preload_content", True)

        def fail(error: Any) -> Exception:
            return recorded_failure(error, urllib3.exceptions, pool=self, url=url)

        token = _sending.set(True)
        try:
            if run.is_replay:
                recorded = run.accept(run.ask_now(described), fail)
                if recorded is None:
                    return send(self, method, url, body, headers, preload_content=preload, **options)
                pieces = recorded.pieces()
                return make_response(method, recorded.status, recorded.headers, pieces, preload=preload)
            exchange = run.begin(described)
            with exchange.sending():
                answer = send(self, method, url, body, headers, preload_content=False, **options)
        finally:
            _sending.reset(token)
        # The body is decompressed when it is read.
        plain = [item for item in answer.headers.items() if item[0].lower() != "content-encoding"]
        exchange.answered(answer.status, plain)
        pieces = _kept(answer, exchange)
        return make_response(method, answer.status, headers_of_plain(plain), pieces, preload=preload)

    replaced.replace(pool, "urlopen", urlopen)


def _read_body(body: Any) -> bytes | None:
    """Reads the body of a request of urllib3: a text, bytes, a file, or an iterable of pieces."""
    if hasattr(body, "read"):
        body = body.read()
    if body is None or isinstance(body, bytes):
        return body
    if isinstance(body, str):
        return body.encode()
    try:
        return bytes(memoryview(body))
    except TypeError:
        return b"".join(piece.encode() if isinstance(piece, str) else bytes(piece) for piece in body)


def _kept(answer: Any, exchange: OpenExchange) -> Iterator[bytes]:
    """The body of an answer of urllib3, which is recorded while it is read."""
    try:
        with exchange.reading():
            for piece in answer.stream(_READ_BYTES, decode_content=True):
                exchange.keep(piece)
                yield piece
        answer.release_conn()
    finally:
        exchange.end(cut=True)
        answer.close()


def _pairs(headers: Any) -> list[tuple[str, str]]:
    return [(str(name), _text(value)) for name, value in dict(headers or {}).items()]


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
