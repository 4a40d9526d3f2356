"""Units of the Python runtime that need no server; run by units.test.ts."""

import asyncio
import contextlib
import contextvars
import io
import json
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
import zlib
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "src" / "runtime" / "python"))

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.config import get_stream_writer
from langgraph.graph import START, StateGraph

from agent_harbor_runtime.checkpoints.checkpoint_format import serialize
from agent_harbor_runtime.checkpoints.checkpointer import HarborCheckpointer
from agent_harbor_runtime.costs import cost_caps
from agent_harbor_runtime.errors.runtime_error import GraphLoadError, describe_error
from agent_harbor_runtime.exchanges import bodies, exchanges
from agent_harbor_runtime.graphs.blocking_suspects import seems_to_block
from agent_harbor_runtime.link.connection import Connection
from agent_harbor_runtime.link.json_text import to_json
from agent_harbor_runtime.link.pipe import open_pipe
from agent_harbor_runtime.link.run_events import RunEvents
from agent_harbor_runtime.loading.graph_entry import parse_graph_path
from agent_harbor_runtime.loading.load_graph import add_module_paths, load_export
from agent_harbor_runtime.nodes.edited_input import edited_input
from agent_harbor_runtime.streams.stream_graph import GraphStream, stream_graph


class Checkpointers(unittest.TestCase):
    def test_list_the_preloaded_history_with_either_method(self):
        class NoServer:
            def request(self, *_):
                raise AssertionError("the server was asked")

            wait = request

        config = {"configurable": {"thread_id": "t"}}
        serde = JsonPlusSerializer()
        checkpointer = HarborCheckpointer(NoServer(), thread_id="t", run_id=None, metadata={}, serde=serde)
        saved = {
            "thread_id": "t",
            "checkpoint_ns": "",
            "checkpoint_id": "c1",
            "parent_checkpoint_id": None,
            "checkpoint": serialize(serde, {"id": "c1"}),
            "channel_values": {},
            "metadata": {},
            "pending_writes": [],
        }
        checkpointer.preload_history([saved])

        async def listed():
            return [found async for found in checkpointer.alist(config)]

        for found in (list(checkpointer.list(config)), asyncio.run(listed())):
            self.assertEqual([each.checkpoint["id"] for each in found], ["c1"])


    def test_request_only_the_checkpoint_that_a_config_names(self):
        requested = []

        class Server:
            def request(self, _method, params):
                requested.append(params)

            def wait(self, _answer):
                return {"tuples": []}

        checkpointer = HarborCheckpointer(
            Server(), thread_id="t", run_id=None, metadata={}, serde=JsonPlusSerializer()
        )
        config = {"configurable": {"thread_id": "t", "checkpoint_id": "c1"}}
        self.assertEqual(list(checkpointer.list(config, limit=1)), [])
        self.assertEqual(requested, [{"thread_id": "t", "checkpoint_id": "c1", "limit": 1}])


class JsonText(unittest.TestCase):
    def test_is_a_document_whatever_the_value(self):
        loop = {"name": "loop"}
        loop["self"] = loop
        self.assertEqual(json.loads(to_json(loop)), {"name": "loop", "self": "[Circular]"})
        self.assertEqual(json.loads(to_json({"big": 2**70})), {"big": str(2**70)})
        self.assertEqual(json.loads(to_json({"half": "a\ud800"})), {"half": "a?"})
        self.assertEqual(json.loads(to_json(float("nan"))), None)
        self.assertEqual(json.loads(to_json({(1, 2): object})).keys(), {"(1, 2)"})
        self.assertEqual(json.loads(to_json(ValueError("bad"))), {"error": "ValueError", "message": "bad"})


class EditedInputs(unittest.TestCase):
    def test_keep_a_schema_whose_type_is_a_list(self):
        schema = {"type": ["string", "null"], "content": 1}
        self.assertEqual(edited_input({"schema": schema}, {"schema": {}}), {"schema": schema})


class Connections(unittest.TestCase):
    def test_send_arrays_and_read_documents_cut_anywhere(self):
        ours, theirs = socket.socketpair()
        seen, done = [], threading.Event()

        def on_request(number, method, params):
            seen.append((number, method, params))
            if len(seen) == 3:
                done.set()

        connection = Connection(open_pipe(str(ours.detach())), on_request, lambda: None)
        connection.start()
        for part in (b'{"id":1,"method":"a"', b',"params":{}}\n[{"id":2,"method":"b"},', b'{"id":3,"method":"c"}]\n'):
            theirs.sendall(part)
        self.assertTrue(done.wait(5))
        self.assertEqual([method for _, method, _ in seen], ["a", "b", "c"])
        answer = connection.request("question", {"x": 1})
        question = json.loads(theirs.recv(65536))
        theirs.sendall(json.dumps({"id": question["id"], "result": {"y": 2}}).encode() + b"\n")
        self.assertEqual(answer.result(5), {"y": 2})
        theirs.close()

    def test_read_on_when_an_answer_comes_that_nobody_waits_for_any_more(self):
        ours, theirs = socket.socketpair()
        closed = threading.Event()
        connection = Connection(open_pipe(str(ours.detach())), lambda *_: None, closed.set)
        connection.start()
        given_up, wanted, never = [connection.request("question", {}) for _ in range(3)]
        numbers = [json.loads(line)["id"] for line in _lines(theirs, 3)]
        self.assertTrue(given_up.cancel())
        self.assertTrue(never.cancel())
        theirs.sendall(b"".join(b'{"id":%d,"result":{}}\n' % number for number in numbers[:2]))
        self.assertEqual(wanted.result(5), {})
        theirs.close()
        self.assertTrue(closed.wait(5), "the server has gone, and the runtime does not notice")

    def test_end_when_reading_fails(self):
        ours, theirs = socket.socketpair()
        closed = threading.Event()

        def on_request(number, method, params):
            raise KeyError(method)

        Connection(open_pipe(str(ours.detach())), on_request, closed.set).start()
        with contextlib.redirect_stderr(io.StringIO()) as said:
            theirs.sendall(b'{"id":1,"method":"odd","params":{}}\n')
            self.assertTrue(closed.wait(5))
        self.assertIn("KeyError: 'odd'", said.getvalue())
        theirs.close()


class Streams(unittest.TestCase):
    def test_wait_between_steps_while_the_server_does_not_read(self):
        steps, begun = 60, []

        def step(number):
            async def emit(state):
                begun.append(number)
                get_stream_writer()("x" * 1_000_000)

            return emit

        builder = StateGraph(dict)
        for number in range(steps):
            builder.add_node(f"step{number}", step(number))
            builder.add_edge(f"step{number - 1}" if number else START, f"step{number}")
        ours, theirs = socket.socketpair()
        connection = Connection(open_pipe(str(ours.detach())), lambda *_: None, lambda: None)
        connection.start()

        async def stream():
            events = RunEvents(connection, "run")
            await stream_graph(
                GraphStream(
                    run_id="run",
                    graph=builder.compile(),
                    input={},
                    config={"recursion_limit": steps + 1},
                    options={},
                    modes=["custom"],
                    subgraphs=False,
                    events=events,
                    is_stopped=lambda: False,
                )
            )
            events.send()
            connection.notify("end", {})

        running = threading.Thread(target=asyncio.run, args=(stream(),))
        running.start()
        running.join(2)
        self.assertLess(len(begun), steps)
        received = [json.loads(line) for line in _lines(theirs, until="end")]
        running.join(10)
        emitted = [event for message in received[:-1] for event in message["params"]["events"]]
        self.assertEqual(len(emitted), steps)
        self.assertEqual(begun, list(range(steps)))
        theirs.close()


def _lines(stream, count=sys.maxsize, until=None):
    """This many messages, or those up to one of a method, whether they come alone or in arrays."""
    messages, unread = [], []
    while len(messages) < count:
        first, *others = stream.recv(1 << 20).split(b"\n")
        unread.append(first)
        for part in others:
            document = json.loads(b"".join(unread))
            unread = [part]
            for message in document if isinstance(document, list) else [document]:
                messages.append(json.dumps(message))
                if until is not None and message.get("method") == until:
                    return messages
    return messages


class Loading(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp()).resolve()
        add_module_paths(self.folder, [])

    def sentence(self, spec):
        with self.assertRaises(GraphLoadError) as raised:
            load_export(parse_graph_path(self.folder, spec))
        return describe_error(raised.exception)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def test_says_what_is_wrong_in_one_sentence_and_where(self):
        self.write("unit_syntax.py", "x = 1\ndef f(:\n")
        self.write("unit_missing.py", "\nimport no_such_package\n")
        self.write("unit_raises.py", "\n\nraise ValueError('no key')\n")
        self.write("unit_exits.py", "raise SystemExit(3)\n")
        self.write("unit_names.py", "graph = 1\nother = 2\n")
        self.assertRegex(self.sentence("./unit_syntax.py:graph")["message"], r"unit_syntax\.py:2: ")
        self.assertEqual(self.sentence("./unit_syntax.py:graph")["location"]["line"], 2)
        missing = self.sentence("./unit_missing.py:graph")
        self.assertRegex(missing["message"], "'no_such_package', which is not installed in")
        self.assertEqual(missing["location"]["line"], 2)
        raised = self.sentence("./unit_raises.py:graph")
        self.assertRegex(raised["message"], "raised ValueError while it was imported: no key")
        self.assertEqual(raised["location"]["line"], 3)
        self.assertRegex(self.sentence("./unit_exits.py:graph")["message"], r"exited while it was imported .*exit code 3")
        self.assertRegex(self.sentence("./unit_names.py:agent")["message"], "has no 'agent'. It has graph, other")
        self.assertRegex(self.sentence("./nowhere.py:graph")["message"], "does not exist")
        self.assertRegex(self.sentence("no.such.module:graph")["message"], "Module 'no.such.module' not found")

    def test_tells_a_package_that_does_not_import_from_a_call_of_it(self):
        site = self.folder / "site-packages"
        site.mkdir()
        self.write("site-packages/unit_broken.py", "raise ValueError('no licence')\n")
        self.write("unit_imports.py", "\nimport unit_broken\n")
        self.write("unit_calls.py", "import json\n\njson.loads('{')\n")
        self.write("unit_renames.py", "from unit_renamed import Old\n")
        self.write(
            "site-packages/unit_renamed.py",
            "raise ModuleNotFoundError(\"No module named 'unit_renamed'. It is unit_new now.\", name=__name__)\n",
        )
        sys.path.append(str(site))
        self.addCleanup(sys.path.remove, str(site))
        imports = self.sentence("./unit_imports.py:graph")
        self.assertRegex(imports["message"], "unit_imports.py imports 'unit_broken', which raised ValueError")
        renames = self.sentence("./unit_renames.py:graph")
        self.assertRegex(renames["message"], "which raised ModuleNotFoundError while .*\\. It is unit_new now\\.$")
        calls = self.sentence("./unit_calls.py:graph")
        self.assertRegex(calls["message"], r"unit_calls\.py raised JSONDecodeError while it was imported")
        self.assertEqual(calls["location"]["line"], 3)

    def test_says_which_module_or_name_was_probably_meant(self):
        package = self.folder / "unit_package"
        package.mkdir()
        self.write("unit_package/__init__.py", "")
        self.write("unit_package/tools.py", "def search(): ...\n")
        self.write("unit_package/absolute.py", "\nfrom unit_package.toolz import search\n")
        self.write("unit_package/relative.py", "from .toolz import search\n")
        self.write("unit_package/named.py", "from .tools import serch\n")
        self.write("unit_package/far.py", "from .nothing_like_it import search\n")
        self.write("unit_tools.py", "")
        self.write("unit_top.py", "import unit_toolz\n")
        self.write("unit_in_file.py", "import unit_tools.search\n")
        self.write("unit_export.py", "import os\nfrom typing import TypedDict\ngraph = 1\nGRAPH_SIZE = 2\n")
        for name, line in (("absolute", 2), ("relative", 1)):
            error = self.sentence(f"./unit_package/{name}.py:graph")
            self.assertEqual(
                error["message"],
                f"{package / name}.py imports 'unit_package.toolz', but {package} has no module 'toolz'. "
                "Did you mean 'tools'?",
            )
            self.assertEqual(error["name"], "GraphLoadError")
            self.assertEqual(error["location"]["line"], line)
        self.assertRegex(self.sentence("./unit_package/named.py:graph")["message"], r"'serch'.* Did you mean 'search'\?$")
        self.assertRegex(self.sentence("./unit_package/far.py:graph")["message"], "has no module 'nothing_like_it'\\.$")
        self.assertRegex(self.sentence("./unit_top.py:graph")["message"], r"not installed in .*\. Did you mean 'unit_tools'\?$")
        self.assertRegex(self.sentence("./unit_in_file.py:graph")["message"], "'unit_tools' is a module, not a package")
        self.assertRegex(
            self.sentence("./unit_export.py:grpah")["message"],
            r"has no 'grpah'\. Did you mean 'graph'\? It has graph, GRAPH_SIZE\.$",
        )
        self.assertRegex(
            self.sentence("unit_package.toolz:graph")["message"],
            "Module 'unit_package.toolz' not found.* Did you mean 'unit_package.tools'\\?$",
        )

    def test_imports_a_file_under_the_name_that_other_modules_use(self):
        self.write("unit_first.py", "import unit_second\nvalue = unit_second\n")
        self.write("unit_second.py", "value = []\n")
        first = load_export(parse_graph_path(self.folder, "./unit_first.py:value"))
        second = load_export(parse_graph_path(self.folder, "./unit_second.py:value"))
        self.assertIs(first.value, second)

    def test_loads_the_file_of_a_package_once(self):
        (self.folder / "unit_whole").mkdir()
        self.write("unit_whole/__init__.py", "value = []\n")
        self.write("unit_user.py", "import unit_whole\nvalue = unit_whole.value\n")
        value = load_export(parse_graph_path(self.folder, "./unit_whole/__init__.py:value"))
        self.assertIs(load_export(parse_graph_path(self.folder, "./unit_user.py:value")), value)

    def test_adds_a_project_folder_named_src_although_it_is_a_package(self):
        project = self.folder / "src"
        project.mkdir()
        self.write("src/__init__.py", "")
        with mock.patch.object(sys, "path", []):
            add_module_paths(project, [])
            add_module_paths(self.folder, [])
            self.assertEqual(sys.path, [str(project), str(self.folder)])

    def test_loads_files_that_no_import_could_name(self):
        self.write("my-agent.py", "value = 7\n")
        self.assertEqual(load_export(parse_graph_path(self.folder, "./my-agent.py:value")), 7)


class AskingAtATerminal(unittest.TestCase):
    def test_says_what_to_do_instead(self):
        import bdb

        self.assertRegex(describe_error(EOFError("EOF when reading a line"))["message"], "interrupt\\(\\) to ask")
        self.assertRegex(describe_error(bdb.BdbQuit())["message"], "Press F5 in this file in VS Code, or attach")
        self.assertEqual(describe_error(EOFError("end of archive"))["message"], "end of archive")


class CostCap(unittest.TestCase):
    def test_refuses_calls_of_a_thread_that_outlasts_its_run_and_was_refused_none(self):
        class Allowing:
            def request(self, method, params):
                return {}

            def wait(self, answer):
                return answer

        def run():
            cost_caps.begin_cap(Allowing(), "run")
            thread = contextvars.copy_context()
            cost_caps._current_cap.get().ask()
            cost_caps.end_cap()
            return thread

        thread = contextvars.Context().run(run)
        with self.assertRaisesRegex(cost_caps.CostCapReached, "The run has ended"):
            thread.run(lambda: cost_caps._current_cap.get().ask())


class Traces(unittest.TestCase):
    def test_are_requests_to_the_tracing_endpoint_and_not_to_another_port(self):
        for endpoint in ("http://127.0.0.1:2024", "http://127.0.0.1:2024/"):
            with (
                mock.patch.dict("os.environ", LANGSMITH_ENDPOINT=endpoint),
                mock.patch.object(exchanges, "current_exchanges", lambda: "run"),
            ):
                self.assertIsNone(exchanges.exchanges_for("http://127.0.0.1:2024/runs/multipart"))
                self.assertEqual(exchanges.exchanges_for("http://127.0.0.1:20240/runs/multipart"), "run")


class RecordedBodies(unittest.TestCase):
    def test_are_decompressed_up_to_64_mib(self):
        most = bytes(64 * 1024 * 1024)
        for data, length in ((most, len(most)), (most + b"x", 0)):
            headers = [("content-type", "text/plain"), ("content-encoding", "deflate"), ("content-length", "9")]
            kept, pieces = bodies.decompress(headers, "deflate", [zlib.compress(data, 1)])
            self.assertEqual([len(piece) for piece in pieces], [length])
            self.assertEqual(kept, [["content-type", "text/plain"]])

    def test_stay_as_they_are_if_they_are_not_compressed(self):
        headers = [("content-encoding", "gzip"), ("content-length", "2")]
        self.assertEqual(bodies.decompress(headers, "gzip", [b"no"]), ([list(pair) for pair in headers], [b"no"]))


class Blocking(unittest.TestCase):
    def test_is_suspected_of_asynchronous_functions_that_name_waiting_calls(self):
        scope = {}
        exec(
            "import time, asyncio, sqlite3, urllib.request\nfrom time import sleep\n"
            "async def one():\n    time.sleep(1)\n"
            "async def two():\n    sleep(1)\n"
            "async def three():\n    sqlite3.connect('a.db')\n"
            "async def four():\n    urllib.request.urlopen('http://localhost')\n"
            "async def fine():\n    await asyncio.sleep(1)\n"
            "def thread():\n    time.sleep(1)\n",
            scope,
        )
        found = {name: seems_to_block(scope[name]) for name in ("one", "two", "three", "four", "fine", "thread")}
        expected = {"one": True, "two": True, "three": True, "four": True, "fine": False, "thread": False}
        self.assertEqual(found, expected)

    def test_is_found_by_a_python_that_was_built_without_sqlite(self):
        code = "import sys; sys.modules['sqlite3'] = None; import agent_harbor_runtime.runtime"
        subprocess.run([sys.executable, "-c", code], check=True, cwd=sys.path[0])


if __name__ == "__main__":
    unittest.main()
