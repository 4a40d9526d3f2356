"""The real Python SDKs against a real server; run by python-sdks.test.ts."""

import asyncio
import os
import time
import unittest
from importlib.util import find_spec
from uuid import uuid4

from langgraph.pregel.remote import RemoteGraph
from langgraph.types import Command
from langgraph_sdk import get_client, get_sync_client
from langsmith import Client

URL = os.environ["AGENT_URL"]


class TheAsyncClient(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.client = get_client(url=URL)

    async def test_streams_in_every_mode(self):
        thread = await self.client.threads.create()
        modes = ["values", "updates", "messages-tuple", "messages", "events", "debug", "tasks", "checkpoints", "custom"]
        parts = [
            part
            async for part in self.client.runs.stream(
                thread["thread_id"],
                "agent",
                input={"messages": [{"role": "user", "content": "weather in Rome"}]},
                stream_mode=modes,
            )
        ]
        events = {part.event for part in parts}
        self.assertLessEqual(
            {"metadata", "values", "updates", "messages", "messages/partial", "events", "debug", "tasks"}, events
        )
        self.assertEqual(parts[0].event, "metadata")
        chunk, metadata = next(part.data for part in parts if part.event == "messages")
        self.assertEqual((chunk["type"], metadata["langgraph_node"]), ("AIMessageChunk", "model"))

    async def test_joins_the_same_run_from_two_readers(self):
        thread = await self.client.threads.create()
        run = await self.client.runs.create(
            thread["thread_id"], "ticks", input={"ms": 400}, stream_mode="custom", stream_resumable=True
        )

        async def read():
            stream = self.client.runs.join_stream(thread["thread_id"], run["run_id"], stream_mode="custom")
            return [part.data for part in [part async for part in stream] if part.event == "custom"]

        one, other = await asyncio.gather(read(), read())
        self.assertGreater(len(one), 5)
        self.assertEqual(one, other)

    async def test_stops_asks_and_goes_on(self):
        thread = await self.client.threads.create()
        asked = await self.client.runs.wait(thread["thread_id"], "approval", input={"topic": "x"})
        self.assertEqual(asked["answers"], ["draft of x"])
        state = await self.client.threads.get_state(thread["thread_id"])
        self.assertEqual(state["interrupts"][0]["value"], {"question": "Publish x?"})
        self.assertEqual(state["next"], ["ask"])
        answered = await self.client.runs.wait(thread["thread_id"], "approval", command={"resume": "yes"})
        self.assertEqual(answered["answers"], ["draft of x", "yes", "published"])
        history = await self.client.threads.get_history(thread["thread_id"])
        self.assertEqual([item["next"] for item in history], [[], ["publish"], ["ask"], ["draft"], ["__start__"]])

    async def test_raises_what_the_graph_raised(self):
        with self.assertRaisesRegex(Exception, "on purpose"):
            await self.client.runs.wait(None, "throws", input={})

    async def test_updates_state_and_copies_threads(self):
        thread = await self.client.threads.create()
        await self.client.runs.wait(thread["thread_id"], "one_node", input={"value": 1})
        await self.client.threads.update_state(thread["thread_id"], {"value": 10})
        copied = await self.client.threads.copy(thread["thread_id"])
        state = await self.client.threads.get_state(copied["thread_id"])
        self.assertEqual(state["values"], {"value": 10})

    async def test_describes_graphs(self):
        schemas = await self.client.assistants.get_schemas("with_pydantic")
        self.assertIn("question", schemas["input_schema"]["properties"])
        diagram = await self.client.assistants.get_graph("nested", xray=True)
        self.assertIn("child:inner_ask", [node["id"] for node in diagram["nodes"]])

    async def test_keeps_items(self):
        namespace = ["facts", str(uuid4())]
        await self.client.store.put_item(namespace, "a", {"text": "one"})
        item = await self.client.store.get_item(namespace, "a")
        self.assertEqual(item["value"], {"text": "one"})
        found = await self.client.store.search_items(namespace)
        self.assertEqual([item["key"] for item in found["items"]], ["a"])


@unittest.skipIf(find_spec("langgraph_sdk.stream") is None, "This SDK does not have the v2 protocol.")
class TheStreamOfAThread(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.threads = get_client(url=URL).threads

    async def test_has_the_calls_of_tools(self):
        async with self.threads.stream(assistant_id="agent") as thread:
            await thread.run.start(input={"messages": [{"role": "user", "content": "weather in Rome"}]})
            [call] = [call async for call in thread.tool_calls]
            output = await call.output
        self.assertEqual((call.name, call.input), ("get_weather", {"city": "Rome"}))
        self.assertEqual((output["content"], output["tool_call_id"]), ("It is sunny in Rome.", "call_1"))

    async def test_has_values_messages_and_the_lifecycle(self):
        async with self.threads.stream(assistant_id="agent") as thread:
            lifecycle = asyncio.create_task(self.read_lifecycle(thread))
            values = asyncio.create_task(self.read(thread.values))
            await thread.run.start(input={"messages": [{"role": "user", "content": "weather in Rome"}]})
            # A message grows while the next one is awaited.
            messages = await self.read(thread.messages)
            self.assertIn("It is sunny in Rome.", await messages[-1].text)
            self.assertEqual(len((await values)[-1]["messages"]), 4)
            self.assertEqual(await lifecycle, ["started", "completed"])

    async def read(self, items):
        """
        All items, until the run ends or asks. The SDK learns of a question on another connection, so the last items may then be missing.
        """
        return [item async for item in items]

    async def read_lifecycle(self, thread):
        """The events of the run itself, until it ends."""
        seen = []
        async for event in thread.subscribe(["lifecycle"]):
            if event["params"]["namespace"] == []:
                seen.append(event["params"]["data"]["event"])
            if seen[-1:] == ["completed"]:
                return seen

    async def test_forks_from_a_checkpoint(self):
        client = get_client(url=URL)
        created = (await client.threads.create())["thread_id"]
        async with self.threads.stream(created, assistant_id="ten_nodes") as thread:
            await thread.run.start(input={"value": 0})
            self.assertEqual(await thread.output, {"value": 10})
        history = await client.threads.get_history(created, limit=20)
        [checkpoint] = [state["checkpoint"] for state in history if state["values"] == {"value": 7}]
        fork = {"configurable": {"checkpoint_id": checkpoint["checkpoint_id"]}}
        async with self.threads.stream(created, assistant_id="ten_nodes") as thread:
            started = await thread.run.start(config=fork)
            self.assertEqual(await thread.output, {"value": 10})
        # The output may be that of the previous run, which ended with the same values.
        await client.runs.join(created, started["run_id"])
        parents = [state["parent_checkpoint"] for state in await client.threads.get_history(created, limit=20)]
        ids = [parent["checkpoint_id"] for parent in parents if parent is not None]
        self.assertEqual(ids.count(checkpoint["checkpoint_id"]), 2)

    async def test_streams_a_remote_graph(self):
        graph = RemoteGraph("agent", url=URL)
        config = {"configurable": {"thread_id": str(uuid4())}}
        asked = {"messages": [{"role": "user", "content": "weather in Rome"}]}
        async with await graph.astream_events(asked, config, version="v3") as stream:
            messages = await self.read(stream.messages)
            self.assertIn("It is sunny in Rome.", await messages[-1].text)
            self.assertEqual(len((await stream.output())["messages"]), 4)

    async def test_has_what_nodes_write_with_a_name(self):
        async with self.threads.stream(assistant_id="custom_events") as thread:
            await thread.run.start(input={"count": 3, "name": "progress"})
            wrote = [{"name": "progress", "index": index} for index in range(3)]
            told = [event async for event in thread.extensions["progress"]]
        self.assertEqual(told, [{"name": "progress", "payload": payload} for payload in wrote])

    async def test_resumes_an_interrupted_thread_with_its_next_input(self):
        async with self.threads.stream(assistant_id="approval") as thread:
            await thread.run.start(input={"topic": "x"})
            await self.read(thread.values)
            self.assertTrue(thread.interrupted)
            await thread.run.start(input="yes")
            self.assertEqual((await thread.output)["answers"], ["draft of x", "yes", "published"])

    async def test_resumes_a_remote_graph(self):
        graph = RemoteGraph("approval", url=URL)
        config = {"configurable": {"thread_id": str(uuid4())}}
        async with await graph.astream_events({"topic": "x"}, config, version="v3") as stream:
            await self.read(stream.values)
            self.assertTrue(await stream.interrupted())
        async with await graph.astream_events(Command(resume="yes"), config, version="v3") as stream:
            self.assertEqual((await stream.output())["answers"], ["draft of x", "yes", "published"])


class TheSyncClient(unittest.TestCase):
    def test_runs_and_searches(self):
        client = get_sync_client(url=URL)
        thread = client.threads.create(metadata={"by": "sync"})
        self.assertEqual(client.runs.wait(thread["thread_id"], "ten_nodes", input={"value": 0}), {"value": 10})
        self.assertEqual(client.threads.search(metadata={"by": "sync"})[0]["status"], "idle")
        cancelled = client.runs.create(thread["thread_id"], "slow", input={"ms": 60_000})
        client.runs.cancel(thread["thread_id"], cancelled["run_id"], wait=True)
        self.assertEqual(client.runs.get(thread["thread_id"], cancelled["run_id"])["status"], "interrupted")


class TheTracingClient(unittest.TestCase):
    def test_finds_the_trace_of_a_run_by_its_id_with_the_spans_of_its_nodes(self):
        client = get_sync_client(url=URL)
        run = client.runs.create(None, "agent", input={"messages": [{"role": "user", "content": "weather in Rome"}]})
        tracing = Client(api_url=os.environ["PLATFORM_URL"], api_key=os.environ["PLATFORM_KEY"])
        root = self.eventually(lambda: self.finished(tracing.read_run(run["run_id"])))
        self.assertEqual((str(root.id), root.name), (run["run_id"], "Weather agent"))
        spans = self.eventually(lambda: self.enough(list(tracing.list_runs(trace_id=run["run_id"]))))
        names = {span.name for span in spans}
        self.assertLessEqual({"model", "tools", "FakeModel", "get_weather"}, names)
        feedback = tracing.create_feedback(run["run_id"], key="helpful", score=1)
        self.assertEqual(str(feedback.run_id), run["run_id"])

    def finished(self, run):
        return run if run.end_time is not None else None

    def enough(self, spans):
        return spans if len(spans) >= 6 else None

    def eventually(self, read):
        seconds = 20 * float(os.environ.get("AGENT_HARBOR_TEST_PATIENCE", "1"))
        deadline = time.monotonic() + seconds
        problem = None
        while time.monotonic() < deadline:
            try:
                if (result := read()) is not None:
                    return result
            except Exception as error:
                problem = error
            time.sleep(0.1)
        raise AssertionError(f"not within {seconds} s: {problem}")


if __name__ == "__main__":
    unittest.main()
