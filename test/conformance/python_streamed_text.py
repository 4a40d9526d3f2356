"""The Python SDK reads streams, several at once; run by streamed-text.test.ts. Prints each stream as a line of JSON."""

import asyncio
import json
import os

from langgraph_sdk import get_client

INPUT = {"messages": [{"role": "user", "content": "Talk."}]}


def text_of(part):
    message = part.data[0] if part.event == "messages" else part.data["messages"][-1]
    return [part.event, message["type"], message["content"]]


async def read(url):
    client = get_client(url=url)
    thread = await client.threads.create()
    stream = client.runs.stream(thread["thread_id"], "burst", input=INPUT, stream_mode=["messages-tuple", "values"])
    return [text_of(part) async for part in stream if part.event in ("messages", "values")]


async def main():
    urls = iter(os.environ["AGENT_URLS"].split() * int(os.environ["RUNS"]))

    async def client():
        for url in urls:
            print(json.dumps(await read(url)), flush=True)

    await asyncio.gather(*(client() for _ in range(int(os.environ["CLIENTS"]))))


asyncio.run(main())
