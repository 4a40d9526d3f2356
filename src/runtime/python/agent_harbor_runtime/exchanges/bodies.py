"""Bodies of requests and responses, as they are recorded."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from ..protocol import ExchangeChunks, ExchangeResponse

#: The largest body that is decompressed, as in src/process/decompress.ts: a few kilobytes can expand to
#: more than any memory holds.
_MAX_DECOMPRESSED_BYTES = 64 * 1024 * 1024

#: Headers that describe the body as it was sent.
_ENCODED_BODY_HEADERS = ("content-encoding", "content-length", "transfer-encoding")

#: zlib's parameter for each compression of a body.
_WBITS = {"gzip": 31, "deflate": 15}


def headers_of_plain(headers: Iterable[Iterable[str]]) -> list[tuple[str, str]]:
    """The headers that apply to a recorded body, without those about its encoding and length."""
    return [(name, value) for name, value in headers if name.lower() not in _ENCODED_BODY_HEADERS]


def to_body(data: bytes) -> Any:
    """Converts the body of a request to the protocol's form."""
    try:
        return {"encoding": "utf8", "data": data.decode()}
    except UnicodeDecodeError:
        return {"encoding": "base64", "data": base64.b64encode(data).decode()}


def read_pieces(chunks: ExchangeChunks | ExchangeResponse) -> Iterator[bytes]:
    """The pieces of a response's body, from the protocol's form."""
    for chunk in chunks["chunks"]:
        yield chunk.encode() if chunks["encoding"] == "utf8" else base64.b64decode(chunk)


def to_chunks(pieces: list[bytes]) -> dict[str, Any]:
    """Converts the pieces of a response's body to the protocol's form."""
    try:
        return {"encoding": "utf8", "chunks": [piece.decode() for piece in pieces]}
    except UnicodeDecodeError:
        return {"encoding": "base64", "chunks": [base64.b64encode(piece).decode() for piece in pieces]}


def decompress(
    headers: list[tuple[str, str]], encoding: str | None, pieces: list[bytes]
) -> tuple[list[list[str]], list[bytes]]:
    """Decompresses a body before it is recorded, because secrets can only be masked in decompressed
    data. Returns the headers that apply to the result, and its pieces. The result is empty if the
    decompressed body is too large for a recording.
    """
    wbits = _WBITS.get((encoding or "").lower())
    if wbits is not None and pieces:
        try:
            # A decompressor object also accepts a body that was cut off.
            plain = zlib.decompressobj(wbits).decompress(b"".join(pieces), _MAX_DECOMPRESSED_BYTES + 1)
        except zlib.error:
            pass  # The body does not have the encoding that its header names.
        else:
            pieces = [plain if len(plain) <= _MAX_DECOMPRESSED_BYTES else b""]
            headers = headers_of_plain(headers)
    return [[name, value] for name, value in headers], pieces
