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

PROGRAMS = Path(sys.executable).parent
PROJECT = "conversations"
THREAD = f"thread {uuid4()}"


def user(text):
    return {"role": "user", "content": text}


def assistant(text):
    return {"role": "assistant", "content": text}


def trace(client, start, inputs, outputs):
    """A trace of an agent with one model call in it. Returns its id."""
    root, model = uuid4(), uuid4()
    segment = start.strftime("%Y%m%dT%H%M%S%fZ")
    places = {"trace_id": root, "dotted_order": f"{segment}{root}"}
    below = {"trace_id": root, "parent_run_id": root, "dotted_order": f"{segment}{root}.{segment}{model}"}
    more = {"project_name": PROJECT, "start_time": start, "extra": {"metadata": {"thread_id": THREAD}}}
    client.create_run("agent", inputs, "chain", id=root, **places, **more)
    client.create_run("Model", {"messages": inputs["messages"]}, "llm", id=model, **below, **more)
    end = start + timedelta(seconds=1)
    client.update_run(model, outputs={"choices": [{"message": outputs["messages"][-1]}]}, end_time=end, **below)
    client.update_run(root, outputs=outputs, end_time=end, **places)
    return str(root)


class Tools(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = LangSmith()
        start = datetime.now(timezone.utc) - timedelta(minutes=1)
        first = [user("Hi"), assistant("Hello")]
        trace(cls.client, start, {"messages": first[:1]}, {"messages": first})
        # The second turn has what was said before, in LangChain's own form.
        kinds = {"user": "HumanMessage", "assistant": "AIMessage"}
        said = [*first, user("Bye"), assistant("See you")]
        written = [
            {
                "lc": 1,
                "type": "constructor",
                "id": ["langchain_core", "messages", kinds[message["role"]]],
                "kwargs": {"content": message["content"]},
            }
            for message in said
        ]
        later = start + timedelta(seconds=10)
        cls.trace = trace(cls.client, later, {"messages": [user("Bye")]}, {"messages": written})
        cls.said = said
        cls.client.flush()
        cls.client.create_feedback(cls.trace, key="helpful", score=1)
        cls.dataset = cls.client.create_dataset(f"capitals {uuid4()}")
        cls.client.create_examples(
            dataset_id=cls.dataset.id,
            examples=[
                {"inputs": {"of": "France"}, "outputs": {"is": "Paris"}, "metadata": {"k": "v"}, "split": "train"},
                {"inputs": {"of": "Italy"}, "outputs": {"is": "Rome"}},
            ],
        )

        def right(outputs, reference_outputs):
            return outputs == reference_outputs

        evaluate(
            lambda _: {"is": "Paris"},
            data=cls.dataset.name,
            evaluators=[right],
            client=cls.client,
            experiment_prefix="guess",
        )


class TheMcpServer(Tools):
    async def asyncSetUp(self):
        program = str(PROGRAMS / "langsmith-mcp-server")
        self.mcp = Client(StdioTransport(program, [], env=dict(os.environ)))
        await self.mcp.__aenter__()

    async def asyncTearDown(self):
        await self.mcp.__aexit__(None, None, None)

    async def call(self, tool, **args):
        answer = (await self.mcp.call_tool(tool, args)).structured_content
        self.assertNotIn("error", answer, f"{tool} {args}")
        return answer

    async def runs(self, **args):
        return [run["name"] for run in (await self.call("fetch_runs", project_name=PROJECT, limit=50, **args))["runs"]]

    async def test_reads_projects_runs_and_threads(self):
        projects = (await self.call("list_projects", project_name="convers"))["projects"]
        self.assertEqual([project["name"] for project in projects], [PROJECT])
        self.assertEqual(sorted(await self.runs()), ["Model", "Model", "agent", "agent"])
        self.assertEqual(await self.runs(run_type="llm", error="false"), ["Model", "Model"])
        self.assertEqual(sorted(await self.runs(trace_id=self.trace)), ["Model", "agent"])
        self.assertEqual(await self.runs(is_root="true", filter='eq(feedback_key, "helpful")'), ["agent"])
        self.assertEqual(await self.runs(filter=f'and(eq(run_type, "llm"), eq(metadata.thread_id, "{THREAD}"))'), ["Model"] * 2)
        self.assertEqual(await self.runs(trace_filter='eq(feedback_key, "helpful")', order_by="start_time", is_root="true"), ["agent"])
        history = await self.call("get_thread_history", thread_id=THREAD, project_name=PROJECT, page_number=1)
        self.assertEqual([message["content"] for message in history["result"]], ["Hi", "Hello", "Bye", "See you"])

    async def test_reads_datasets_examples_and_experiments(self):
        identified = {"dataset_id": str(self.dataset.id)}
        for args in ({"dataset_name": self.dataset.name}, {"dataset_name_contains": "capit"}):
            [found] = (await self.call("list_datasets", **args))["datasets"]
            self.assertEqual((found["id"], found["example_count"], found["session_count"]), (str(self.dataset.id), 2, 1))
        self.assertEqual((await self.call("read_dataset", **identified))["dataset"]["name"], self.dataset.name)
        examples = (await self.call("list_examples", **identified))["examples"]
        self.assertEqual({example["inputs"]["of"] for example in examples}, {"France", "Italy"})
        for args in ({"splits": '["train"]'}, {"metadata": '{"k": "v"}'}, {"filter": "has(metadata, '{\"k\": \"v\"}')"}):
            [found] = (await self.call("list_examples", **identified, **args, as_of="latest"))["examples"]
            self.assertEqual(found["inputs"], {"of": "France"})
        read = await self.call("read_example", example_id=found["id"])
        self.assertEqual(read["example"]["outputs"], {"is": "Paris"})
        experiments = await self.call("list_experiments", reference_dataset_id=str(self.dataset.id))
        [experiment] = experiments["experiments"]
        self.assertEqual((experiment["feedback_stats"]["right"]["n"], experiment["feedback_stats"]["right"]["avg"]), (2, 0.5))


class TheFetcher(Tools):
    def fetch(self, *args):
        with TemporaryDirectory() as home:
            done = subprocess.run(
                [str(PROGRAMS / "langsmith-fetch"), *args, "--format", "raw"],
                env={**os.environ, "HOME": home, "USERPROFILE": home, "LANGSMITH_PROJECT": PROJECT},
                capture_output=True,
                text=True,
                check=False,
            )
        self.assertEqual((done.returncode, "Warning" in done.stderr), (0, False), done.stdout + done.stderr)
        # What it tells of its progress comes first, and it breaks lines for the terminal.
        return json.loads(done.stdout[done.stdout.index(args[-1] if args[-1] == "[" else "{" if args[0] == "thread" else "[") :], strict=False)

    def test_fetches_a_trace(self):
        self.assertEqual(self.fetch("trace", self.trace), self.said)

    def test_fetches_a_thread(self):
        thread = self.fetch("thread", THREAD)
        self.assertEqual((thread["thread_id"], thread["messages"]), (THREAD, self.said))
        self.assertEqual(thread["metadata"]["custom_metadata"]["thread_id"], THREAD)

    def test_fetches_recent_traces_and_threads(self):
        self.assertEqual(sorted(map(len, self.fetch("traces", "--limit", "5"))), [2, 4])
        [thread] = self.fetch("threads", "--limit", "5", "--last-n-minutes", "60")
        self.assertEqual(thread["messages"], self.said)


if __name__ == "__main__":
    unittest.main()
