"""langsmith-mcp-server and langsmith-fetch as they are, against a real server; run by langsmith-tools.test.ts."""

import json
import os
import subprocess
import sys
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from langsmith import Client as LangSmith
from langsmith import evaluate

PROJECT = "conversations"
THREAD = f"thread {uuid4()}"


def user(text):
    return {"role": "user", "content": text}


def assistant(text):
    return {"role": "assistant", "content": text}


def trace(client, start, inputs, outputs, answer):
    """Traces an agent with one model call. Returns the trace's ID."""
    root, model = uuid4(), uuid4()
    segment = start.strftime("%Y%m%dT%H%M%S%fZ")
    places = {"trace_id": root, "dotted_order": f"{segment}{root}"}
    below = {"trace_id": root, "parent_run_id": root, "dotted_order": f"{segment}{root}.{segment}{model}"}
    more = {"project_name": PROJECT, "start_time": start, "extra": {"metadata": {"thread_id": THREAD}}}
    client.create_run("agent", inputs, "chain", id=root, **places, **more)
    client.create_run("Model", {"messages": inputs["messages"]}, "llm", id=model, **below, **more)
    end = start + timedelta(seconds=1)
    client.update_run(model, outputs={"choices": [{"message": answer}]}, end_time=end, **below)
    client.update_run(root, outputs=outputs, end_time=end, **places)
    return str(root)


class Stored:
    """The traces for the tools to find."""

    def __init__(self, client):
        start = datetime.now(timezone.utc) - timedelta(minutes=1)
        first = [user("Hi"), assistant("Hello")]
        trace(client, start, {"messages": first[:1]}, {"messages": first}, first[-1])
        # The second turn contains the earlier messages, in LangChain's own form.
        kinds = {"user": "HumanMessage", "assistant": "AIMessage"}
        self.said = [*first, user("Bye"), assistant("See you")]
        written = [
            {
                "lc": 1,
                "type": "constructor",
                "id": ["langchain_core", "messages", kinds[message["role"]]],
                "kwargs": {"content": message["content"]},
            }
            for message in self.said
        ]
        later = start + timedelta(seconds=10)
        self.trace = trace(client, later, {"messages": [user("Bye")]}, {"messages": written}, self.said[-1])
        client.flush()
        client.create_feedback(self.trace, key="helpful", score=1)
        self.dataset = client.create_dataset(f"capitals {uuid4()}")
        client.create_examples(
            dataset_id=self.dataset.id,
            examples=[
                {"inputs": {"of": "France"}, "outputs": {"is": "Paris"}, "metadata": {"k": "v"}, "split": "train"},
                {"inputs": {"of": "Italy"}, "outputs": {"is": "Rome"}},
            ],
        )

        def right(outputs, reference_outputs):
            return outputs == reference_outputs

        guess = {"evaluators": [right], "client": client, "experiment_prefix": "guess"}
        evaluate(lambda _: {"is": "Paris"}, data=self.dataset.name, **guess)


def setUpModule():
    global stored
    stored = Stored(LangSmith())


class TheMcpServer(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        start = "from langsmith_mcp_server.server import main; main()"
        self.mcp = Client(StdioTransport(sys.executable, ["-c", start], env=dict(os.environ), keep_alive=False))
        await self.mcp.__aenter__()

    async def asyncTearDown(self):
        await self.mcp.__aexit__(None, None, None)

    async def call(self, tool, **args):
        answer = (await self.mcp.call_tool(tool, args)).structured_content
        self.assertNotIn("error", answer, f"{tool} {args}")
        return answer

    async def runs(self, **args):
        return [run["name"] for run in (await self.call("fetch_runs", project_name=PROJECT, limit=50, **args))["runs"]]

    async def test_finds_everything(self):
        """In one test, since the server takes seconds to start."""
        await self.find_projects_runs_and_threads()
        await self.find_datasets_examples_and_experiments()

    async def find_projects_runs_and_threads(self):
        projects = (await self.call("list_projects", project_name="convers"))["projects"]
        self.assertEqual([project["name"] for project in projects], [PROJECT])
        self.assertEqual(sorted(await self.runs()), ["Model", "Model", "agent", "agent"])
        self.assertEqual(await self.runs(run_type="llm", error="false"), ["Model", "Model"])
        self.assertEqual(sorted(await self.runs(trace_id=stored.trace)), ["Model", "agent"])
        self.assertEqual(await self.runs(is_root="true", filter='eq(feedback_key, "helpful")'), ["agent"])
        of_thread = f'and(eq(run_type, "llm"), eq(metadata.thread_id, "{THREAD}"))'
        self.assertEqual(await self.runs(filter=of_thread), ["Model", "Model"])
        judged = 'eq(feedback_key, "helpful")'
        self.assertEqual(await self.runs(trace_filter=judged, is_root="true", order_by="start_time"), ["agent"])
        history = await self.call("get_thread_history", thread_id=THREAD, project_name=PROJECT, page_number=1)
        self.assertEqual([message["content"] for message in history["result"]], ["Hi", "Hello", "Bye", "See you"])

    async def find_datasets_examples_and_experiments(self):
        identified = {"dataset_id": str(stored.dataset.id)}
        for args in ({"dataset_name": stored.dataset.name}, {"dataset_name_contains": "capit"}):
            [found] = (await self.call("list_datasets", **args))["datasets"]
            self.assertEqual((found["id"], found["session_count"]), (str(stored.dataset.id), 1))
            self.assertEqual(found["example_count"], 2)
        self.assertEqual((await self.call("read_dataset", **identified))["dataset"]["name"], stored.dataset.name)
        examples = (await self.call("list_examples", **identified))["examples"]
        self.assertEqual({example["inputs"]["of"] for example in examples}, {"France", "Italy"})
        for args in ({"splits": '["train"]'}, {"metadata": '{"k": "v"}'}, {"filter": "has(metadata, '{\"k\": \"v\"}')"}):
            [found] = (await self.call("list_examples", **identified, **args, as_of="latest"))["examples"]
            self.assertEqual(found["inputs"], {"of": "France"})
        read = await self.call("read_example", example_id=found["id"])
        self.assertEqual(read["example"]["outputs"], {"is": "Paris"})
        experiments = await self.call("list_experiments", reference_dataset_id=str(stored.dataset.id))
        [experiment] = experiments["experiments"]
        right = experiment["feedback_stats"]["right"]
        self.assertEqual((right["n"], right["avg"]), (2, 0.5))


class TheFetcher(unittest.TestCase):
    def setUp(self):
        self.folder = TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def fetch(self, *args):
        home = {"HOME": self.folder.name, "USERPROFILE": self.folder.name, "PYTHONWARNINGS": "ignore"}
        done = subprocess.run(
            [sys.executable, "-m", "langsmith_cli", *args],
            env={**os.environ, **home, "LANGSMITH_PROJECT": PROJECT},
            capture_output=True,
            text=True,
            check=False,
        )
        said = done.stdout + done.stderr
        self.assertEqual((done.returncode, "Warning" in said), (0, False), said)

    def fetch_one(self, *args):
        file = Path(self.folder.name, "fetched.json")
        self.fetch(*args, "--format", "raw", "--file", str(file))
        return json.loads(file.read_text())

    def fetch_all(self, *args):
        folder = Path(self.folder.name, "fetched")
        self.fetch(args[0], str(folder), *args[1:])
        return [json.loads(file.read_text()) for file in folder.iterdir()]

    def test_fetches_a_trace(self):
        self.assertEqual(self.fetch_one("trace", stored.trace), stored.said)

    def test_fetches_a_thread(self):
        thread = self.fetch_one("thread", THREAD)
        self.assertEqual((thread["thread_id"], thread["messages"]), (THREAD, stored.said))
        self.assertEqual(thread["metadata"]["custom_metadata"]["thread_id"], THREAD)

    def test_fetches_recent_traces(self):
        traces = self.fetch_all("traces", "--limit", "5", "--include-metadata")
        self.assertEqual(sorted(len(trace["messages"]) for trace in traces), [2, 4])
        self.assertEqual({trace["metadata"]["status"] for trace in traces}, {"success"})

    def test_fetches_recent_threads(self):
        self.assertEqual(self.fetch_all("threads", "--limit", "5", "--last-n-minutes", "60"), [stored.said])


if __name__ == "__main__":
    unittest.main()
