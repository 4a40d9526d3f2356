"""Calls every method of Python's langsmith client against a real platform, and records the requests of each.

Run by python-langsmith-methods.test.ts; the generator of docs/compatibility.md reads what is written.
"""

import asyncio
import inspect
import io
import json
import os
import warnings
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import langsmith
import requests
from langsmith import Client, evaluate, schemas
from langsmith.evaluation import EvaluationResult, run_evaluator

warnings.simplefilter("ignore")
URL = os.environ["PLATFORM_URL"]
KEY = os.environ["PLATFORM_KEY"]

called: dict[str, set[str]] = {}
current: list[str] = []


def note(method, url):
    path = urlsplit(str(url)).path
    if current and path != "/info":
        called[current[-1]].add(f"{method} {path}")


def watch():
    send, send_httpx, send_async = requests.Session.send, httpx.Client.send, httpx.AsyncClient.send

    def watched(self, request, **options):
        note(request.method, request.url)
        return send(self, request, **options)

    def watched_httpx(self, request, **options):
        note(request.method, request.url)
        return send_httpx(self, request, **options)

    async def watched_async(self, request, **options):
        note(request.method, request.url)
        return await send_async(self, request, **options)

    requests.Session.send = watched
    httpx.Client.send = watched_httpx
    httpx.AsyncClient.send = watched_async


def call(name, /, *arguments, **options):
    """Calls a method by its name, reads what it yields, and notes its requests as that method's."""
    called.setdefault(name, set())
    current.append(name)
    try:
        method = client
        for part in name.split("."):
            method = getattr(method, part)
        result = method(*arguments, **options)
        if hasattr(result, "__aiter__"):
            result = loop.run_until_complete(everything(result))
        elif inspect.isawaitable(result):
            result = loop.run_until_complete(result)
        elif isinstance(result, Iterator):
            result = [*result]
        return result
    finally:
        current.pop()


async def everything(items):
    return [item async for item in items]


# The client keeps connections, which belong to a loop.
loop = asyncio.new_event_loop()


watch()
client = Client(api_url=URL, api_key=KEY, auto_batch_tracing=False)
now = datetime.now(timezone.utc)


def same(found, expected):
    assert found == expected, f"{found!r} is not {expected!r}"


def run_of(**fields):
    run_id = uuid4()
    moment = datetime.now(timezone.utc)
    order = f"{moment.strftime('%Y%m%dT%H%M%S%fZ')}{run_id}"
    return {
        "id": run_id,
        "trace_id": run_id,
        "dotted_order": order,
        "name": "other",
        "run_type": "tool",
        "inputs": {},
        "start_time": moment,
        "session_name": "p",
        **fields,
    }


def of_runs():
    root, child = uuid4(), uuid4()
    call("create_run", "root", {"q": 1}, "chain", id=root, project_name="p", extra={"metadata": {"thread_id": "t1"}})
    client.create_run("child", {"q": 2}, "llm", id=child, parent_run_id=root, project_name="p")
    call("update_run", root, outputs={"a": 1}, end_time=datetime.now(timezone.utc))
    read = call("read_run", root)
    same((read.name, read.outputs), ("root", {"a": 1}))
    call("batch_ingest_runs", create=[run_of()])
    call("multipart_ingest", create=[run_of()])
    same(sorted(run.name for run in call("list_runs", project_name="p")), ["child", "other", "other", "root"])
    same(call("get_run_stats", project_names=["p"])["run_count"], 4)
    same([run.id for run in call("read_thread", thread_id="t1", project_name="p")], [root])
    same([thread["thread_id"] for thread in call("list_threads", project_name="p")], ["t1"])
    assert str(root) in call("get_run_url", run=read, project_name="p")
    call("flush")
    return read, root, child


def of_projects():
    project = call("create_project", "new")
    same(call("update_project", project.id, description="d").description, "d")
    same(call("has_project", "new"), True)
    same({one.name for one in call("list_projects")}, {"new", "p"})
    call("delete_project", project_name="new")
    same(client.has_project("new"), False)
    call("aread_project", project_name="p")
    return call("read_project", project_name="p").id


def of_newer_queries(root, project):
    found = call("runs.query", project_ids=[str(project)], selects=["NAME"])
    assert "child" in {run.name for run in found}
    moment = datetime.now(timezone.utc).isoformat()
    one = call("runs.retrieve", str(root), project_id=str(project), start_time=moment, selects=["NAME"])
    same(one.name, "root")
    assert str(root) in call("runs.get_url", str(root), project_id=str(project), trace_id=str(root)).url
    same([one.thread_id for one in call("threads.query", project_id=str(project))], ["t1"])
    assert str(root) in {str(one.root_run.id) for one in call("traces.query", project_id=str(project))}


def of_shared_runs(root, child):
    link = call("share_run", root)
    same(call("read_run_shared_link", root), link)
    same(call("run_is_shared", root), True)
    token = link.split("/")[-2]
    same({run.name for run in call("list_shared_runs", token)}, {"root", "child"})
    same(call("read_shared_run", token, child).name, "child")
    call("unshare_run", root)
    same(client.run_is_shared(root), False)


def of_feedback(run, root):
    given = call("create_feedback", root, "k", score=1)
    call("update_feedback", given.id, score=0.5)
    same(call("read_feedback", given.id).score, 0.5)
    same(len(call("list_feedback", run_ids=[root])), 1)
    call("delete_feedback", given.id)
    token = call("create_presigned_feedback_token", root, "k", expiration=timedelta(hours=1))
    call("create_presigned_feedback_tokens", root, ["a", "b"])
    same(len(call("list_presigned_feedback_tokens", root)), 3)
    call("create_feedback_from_token", token.url, score=1, comment="by a link")
    same([one.comment for one in client.list_feedback(run_ids=[root])], ["by a link"])

    @run_evaluator
    def judge(run, example=None):
        return EvaluationResult(key="judged", score=1)

    call("evaluate_run", run, judge)
    call("aevaluate_run", run, judge)
    config = {"type": "continuous", "min": 0, "max": 1}
    call("create_feedback_config", "quality", feedback_config=config)
    same(call("update_feedback_config", "quality", is_lower_score_better=True).is_lower_score_better, True)
    same(len(call("list_feedback_configs", feedback_key=["quality"])), 1)
    call("delete_feedback_config", "quality")
    kinds = {"type": "categorical", "categories": [{"value": 0, "label": "bad"}, {"value": 1, "label": "good"}]}
    client.create_feedback_config("kind", feedback_config=kinds)
    added = call("add_feedback_categories", "kind", [{"value": 2, "label": "best"}])
    same(len(added.feedback_config["categories"]), 3)
    rest = call("remove_feedback_categories", "kind", [2])
    same([one["label"] for one in rest.feedback_config["categories"]], ["bad", "good"])
    try:
        client.add_feedback_categories("kind", [{"value": 7, "label": "good"}])
    except langsmith.utils.LangSmithError as error:
        assert "already" in str(error), error
    else:
        raise AssertionError("a label was taken twice")


def of_datasets(run):
    dataset = call("create_dataset", "d", description="of the test")
    of = {"dataset_id": dataset.id}
    same(call("read_dataset", **of).name, "d")
    same(call("has_dataset", **of), True)
    same(len(call("list_datasets")), 1)
    one = call("create_example", {"q": 1}, outputs={"a": 1}, **of)
    two = call("create_examples", examples=[{"inputs": {"q": 2}}], **of)["example_ids"][0]
    call("create_llm_example", "in", "out", **of)
    call("create_chat_example", [{"type": "human", "data": {"content": "hi"}}], **of)
    call("create_example_from_run", run, **of)
    same(call("read_example", one.id).outputs, {"a": 1})
    call("update_example", one.id, outputs={"a": 2})
    call("update_examples", updates=[{"id": one.id, "metadata": {"level": "easy"}}], **of)
    call("update_examples_multipart", updates=[schemas.ExampleUpdate(id=one.id, outputs={"a": 3})], **of)
    call("upload_examples_multipart", uploads=[schemas.ExampleCreate(id=uuid4(), inputs={"q": 3})], **of)
    same(len(call("list_examples", **of)), 6)
    call("update_dataset_splits", split_name="test", example_ids=[one.id], **of)
    assert "test" in call("list_dataset_splits", **of)
    version = call("read_dataset_version", as_of=datetime.now(timezone.utc), **of)
    call("update_dataset_tag", as_of=version.as_of, tag="v1", **of)
    assert len(call("list_dataset_versions", **of)) > 4
    call("delete_example", two)
    removed = call("diff_dataset_versions", from_version="v1", to_version="latest", **of).examples_removed
    same([str(id) for id in removed], [str(two)])
    share = call("share_dataset", **of)
    token = str(share["share_token"])
    same(str(call("read_dataset_shared_schema", **of)["share_token"]), token)
    same(call("read_shared_dataset", token).name, "d")
    same(len(call("list_shared_examples", token)), 5)
    same(list(client.list_shared_projects(dataset_share_token=token)), [])
    call("clone_public_dataset", token, dataset_name="copy")
    call("unshare_dataset", **of)
    call("delete_examples", [one.id])
    call("upload_csv", ("x.csv", io.BytesIO(b"q,a\n1,2\n")), ["q"], ["a"], name="csv")
    call("delete_dataset", dataset_name="csv")
    chats = client.create_dataset("chats", data_type=schemas.DataType.chat)
    said = {"role": "user", "content": "hello"}
    answer = {"role": "assistant", "content": "hi"}
    client.create_example({"messages": [said]}, outputs={"message": answer}, dataset_id=chats.id)
    same(call("read_dataset_openai_finetuning", chats.id), [{"messages": [said, answer]}])


def of_experiments():
    dataset = client.create_dataset("numbers")
    client.create_examples(dataset_id=dataset.id, examples=[{"inputs": {"n": n}} for n in (1, 2)])
    options = {"data": "numbers", "evaluators": [lambda outputs: {"key": "low", "score": outputs["n"] < 5}]}
    first = call("evaluate", lambda inputs: {"n": inputs["n"] + 1}, **options, max_concurrency=0)

    async def target(inputs):
        return {"n": inputs["n"] + 5}

    second = call("aevaluate", target, **options, max_concurrency=0)
    ids = [client.read_project(project_name=one.experiment_name).id for one in (first, second)]
    shown = call("get_experiment_results", project_id=ids[0])
    same([len(example.runs) for example in shown["examples_with_runs"]], [1, 1])
    same(shown["run_stats"]["run_count"], 2)
    rows = call(
        "datasets.experiment_runs.query",
        str(dataset.id),
        experiment_ids=[str(id) for id in ids],
        selects=["OUTPUTS"],
    )
    same([len(row.runs) for row in rows], [2, 2])
    call("create_comparative_experiment", "beside each other", ids)
    share = client.request_with_retries("PUT", f"/datasets/{dataset.id}/share", params={"share_projects": True}, json={})
    token = share.json()["share_token"]
    seen = call("list_shared_projects", dataset_share_token=token, project_ids=[str(ids[0])])
    same([(str(one.id), one.run_count) for one in seen], [(str(ids[0]), 2)])
    same(len(list(client.list_shared_projects(dataset_share_token=token))), 2)
    client.unshare_dataset(dataset_id=dataset.id)


run, root, child = of_runs()
project = of_projects()
of_newer_queries(root, project)
of_shared_runs(root, child)
of_feedback(run, root)
of_datasets(run)
of_experiments()
methods = [name for name, value in Client.__dict__.items() if not name.startswith("_") and inspect.isfunction(value)]
print(
    json.dumps(
        {
            "version": langsmith.__version__,
            "methods": sorted(methods),
            "called": {name: sorted(paths) for name, paths in called.items()},
        }
    )
)
