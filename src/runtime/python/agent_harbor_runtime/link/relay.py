"""In a container without a network, forwards requests for the server's addresses to the server,
through a socket that leads out of the container.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from contextlib import suppress
from urllib.parse import urlsplit

#: The variable that names the socket.
_RELAY = "AGENT_HARBOR_RELAY"

#: Variables of the SDKs with the address of the server.
_ADDRESSES = ("LANGSMITH_ENDPOINT", "LANGSMITH_API_URL")

_CHUNK = 1 << 16

#: The ports of this machine that are forwarded.
_open: set[int] = set()


def relay_known_addresses() -> None:
    """Forwards requests for the addresses in the environment."""
    for name in _ADDRESSES:
        relay_to(os.environ.get(name))


def relay_to(url: str | None) -> None:
    """Forwards requests for an address of this machine to the server, which decides whether that
    is allowed.
    """
    path = os.environ.get(_RELAY)
    if path is None or url is None:
        return
    address = urlsplit(url)
    if address.hostname != "127.0.0.1" or address.port is None or address.port in _open:
        return
    _open.add(address.port)
    threading.Thread(
        target=lambda port: asyncio.run(_serve(path, port)), args=(address.port,), daemon=True, name="relay"
    ).start()


async def _serve(path: str, port: int) -> None:
    """Listens on a port, and forwards what arrives to the socket at `path`."""

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_unix_connection(path)
        except OSError:
            writer.close()
            return
        back.write(f"{port}\n".encode())
        await asyncio.gather(_copy(reader, back), _copy(there, writer))

    try:
        server = await asyncio.start_server(forward, "127.0.0.1", port)
    except OSError as error:
        print(f"127.0.0.1:{port} cannot be reached: {error}", file=sys.stderr)
        return
    await server.serve_forever()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copies data until its end, or until either side is closed."""
    with suppress(OSError):
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
    with suppress(OSError):
        writer.close()
