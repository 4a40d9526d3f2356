"""The cost of a run without a server around it: graphs and checkpoints are in this process and its memory."""

import asyncio
import importlib.util
import json
import sys
from pathlib import Path
from uuid import uuid4

import orjson
from langchain_core.messages import BaseMessage
from langgraph.checkpoint.memory import InMemorySaver

port, project = int(sys.argv[1]), Path(sys.argv[2])
sys.path.append(str(project))
checkpointer = InMemorySaver()
graphs = {}
for graph_id, location in json.loads((project / "langgraph.json").read_text())["graphs"].items():
    file, name = location.split(":")
    spec = importlib.util.spec_from_file_location(Path(file).stem, project / file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    graphs[graph_id] = getattr(module, name)
    graphs[graph_id].checkpointer = checkpointer


def plain(value):
    """Messages travel as plain dictionaries."""
    return value.model_dump() if isinstance(value, BaseMessage) else str(value)


def event(name, data):
    return b"event: " + name.encode() + b"\ndata: " + orjson.dumps(data, default=plain) + b"\n\n"


async def stream_run(thread_id, body, writer):
    """Chunked, as bare Node servers send it."""

    def write(part):
        writer.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")

    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    write(event("metadata", {"run_id": str(uuid4())}))
    mode = "messages" if body["stream_mode"] == "messages-tuple" else body["stream_mode"]
    config = {"configurable": {"thread_id": thread_id}}
    async for data in graphs[body["assistant_id"]].astream(body["input"], config, stream_mode=mode):
        write(event(mode, data))
    writer.write(b"0\r\n\r\n")


async def serve(reader, writer):
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            request, *lines = head.decode().split("\r\n")
            headers = dict(line.lower().split(": ", 1) for line in lines if line)
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            _, resource, *rest = request.split(" ")[1].split("/")
            if rest:
                await stream_run(rest[0], json.loads(body), writer)
            else:
                answer = {"ok": True} if resource == "ok" else {"thread_id": str(uuid4())}
                text = json.dumps(answer).encode()
                writer.write(
                    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(text) + text
                )
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main():
    async with await asyncio.start_server(serve, "127.0.0.1", port) as server:
        await server.serve_forever()


asyncio.run(main())
