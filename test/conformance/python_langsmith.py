"""The real langsmith client of Python against a real platform; run by python-langsmith.test.ts."""

import os
import unittest
from uuid import uuid4

import requests
from langsmith import Client, evaluate, traceable, tracing_context
from langsmith.evaluation import evaluate_comparative
from langsmith.schemas import Attachment

URL = os.environ["PLATFORM_URL"]
KEY = os.environ["PLATFORM_KEY"]


def runs_of(client, project):
    client.flush()
    return {run.name: run for run in client.list_runs(project_name=project)}


class TheClient(unittest.TestCase):
    def setUp(self):
        self.client = Client(api_url=URL, api_key=KEY)
        self.project = f"python-{uuid4()}"

    def tearDown(self):
        self.client.cleanup()

    def test_traces_functions_their_children_and_their_errors(self):
        @traceable(run_type="tool")
        def child(text):
            return text.upper()

        @traceable
        def failing():
            raise ValueError("no luck")

        @traceable(tags=["t1"], metadata={"user": "u1"})
        def parent(text):
            try:
                failing()
            except ValueError:
                pass
            return child(text)

        with tracing_context(enabled=True, client=self.client, project_name=self.project):
            self.assertEqual(parent("hello"), "HELLO")
        runs = runs_of(self.client, self.project)
        self.assertEqual(set(runs), {"parent", "child", "failing"})
        root = runs["parent"]
        self.assertEqual((root.inputs, root.outputs, root.status), ({"text": "hello"}, {"output": "HELLO"}, "success"))
        self.assertEqual(root.tags, ["t1"])
        self.assertEqual(root.extra["metadata"]["user"], "u1")
        self.assertEqual(runs["child"].parent_run_id, root.id)
        self.assertIn("no luck", runs["failing"].error)
        self.assertEqual(
            [run.name for run in self.client.list_runs(project_name=self.project, filter='eq(run_type, "tool")')],
            ["child"],
        )

    def test_sends_many_spans_in_compressed_batches(self):
        @traceable
        def step(number):
            return {"number": number, "text": "x" * 1000}

        with tracing_context(enabled=True, client=self.client, project_name=self.project):
            for number in range(300):
                step(number)
        self.client.flush()
        self.assertEqual(sum(1 for _ in self.client.list_runs(project_name=self.project, select=["id"])), 300)

    def test_keeps_attachments(self):
        @traceable(dangerously_allow_filesystem=False)
        def describe(text: str, picture: Attachment):
            return len(picture.data)

        with tracing_context(enabled=True, client=self.client, project_name=self.project):
            describe("a note", Attachment(mime_type="image/png", data=b"\x89PNG\x00\xff"))
        listed = runs_of(self.client, self.project)["describe"]
        for run in (listed, self.client.read_run(listed.id)):
            self.assertEqual(run.attachments["picture"]["reader"].read(), b"\x89PNG\x00\xff")

    def test_tells_what_kinds_of_tokens_were_used(self):
        usage = {"input_tokens": 9, "output_tokens": 1, "total_tokens": 10, "input_token_details": {"cache_read": 4}}
        run_id = uuid4()
        self.client.create_run(
            "model", {}, "llm", id=run_id, project_name=self.project, outputs={"usage_metadata": usage}
        )
        self.client.flush()
        self.assertEqual(self.client.read_run(run_id).input_token_details, {"cache_read": 4})

    def test_gives_feedback_by_itself_and_by_links(self):
        run_id = uuid4()
        self.client.create_run("judged", {"a": 1}, "chain", id=run_id, project_name=self.project)
        self.client.update_run(run_id, outputs={"b": 2})
        self.client.flush()
        self.client.create_feedback(run_id, "helpful", score=1, comment="yes", trace_id=run_id)
        self.client.flush()
        token = self.client.create_presigned_feedback_token(run_id, "helpful")
        self.assertEqual(requests.post(token.url, json={"score": 0, "metadata": {"page": "x"}}).status_code, 200)
        feedback = list(self.client.list_feedback(run_ids=[run_id]))
        self.assertEqual(sorted((one.key, one.score) for one in feedback), [("helpful", 0), ("helpful", 1)])
        changed = feedback[0]
        self.client.update_feedback(changed.id, score=0.5)
        self.assertEqual(self.client.read_feedback(changed.id).score, 0.5)
        self.client.delete_feedback(changed.id)
        self.assertEqual(len(list(self.client.list_feedback(run_ids=[run_id]))), 1)

    def test_keeps_datasets_and_their_versions(self):
        dataset = self.client.create_dataset(self.project, description="a test")
        first = self.client.create_example({"q": 1}, outputs={"a": 1}, dataset_id=dataset.id, metadata={"user": "u1"})
        self.client.create_examples(
            dataset_id=dataset.id, examples=[{"inputs": {"q": 2}, "outputs": {"a": 4}, "split": "test"}]
        )
        version = self.client.read_dataset_version(dataset_id=dataset.id, tag="latest")
        self.client.update_dataset_tag(dataset_id=dataset.id, as_of=version.as_of, tag="v1")
        self.client.update_example(first.id, outputs={"a": 2})
        then = {str(one.id): one.outputs for one in self.client.list_examples(dataset_id=dataset.id, as_of="v1")}
        self.assertEqual(then[str(first.id)], {"a": 1})
        self.assertEqual(self.client.read_example(first.id).outputs, {"a": 2})
        self.assertEqual(len(list(self.client.list_examples(dataset_id=dataset.id, splits=["test"]))), 1)
        self.assertEqual(len(list(self.client.list_examples(dataset_id=dataset.id, metadata={"user": "u1"}))), 1)
        self.assertTrue(self.client.has_dataset(dataset_id=dataset.id))
        self.client.delete_example(first.id)
        self.client.delete_dataset(dataset_id=dataset.id)
        self.assertFalse(self.client.has_dataset(dataset_id=dataset.id))

    def test_evaluates_a_target_over_a_dataset(self):
        dataset = self.client.create_dataset(self.project)
        self.client.create_examples(
            dataset_id=dataset.id,
            examples=[
                {"inputs": {"n": 2}, "outputs": {"square": 4}},
                {"inputs": {"n": 3}, "outputs": {"square": 10}},
            ],
        )

        def correct(outputs, reference_outputs):
            return outputs["square"] == reference_outputs["square"]

        results = evaluate(
            lambda inputs: {"square": inputs["n"] ** 2},
            data=self.project,
            evaluators=[correct],
            client=self.client,
            max_concurrency=0,
        )
        self.client.flush()
        project = self.client.read_project(project_name=results.experiment_name)
        self.assertEqual(project.reference_dataset_id, dataset.id)
        roots = self.client.list_runs(project_name=results.experiment_name, is_root=True)
        scores = sorted(run.feedback_stats["correct"]["avg"] for run in roots)
        self.assertEqual(scores, [0, 1])

    def test_judges_two_experiments_beside_each_other(self):
        dataset = self.client.create_dataset(self.project)
        self.client.create_examples(dataset_id=dataset.id, examples=[{"inputs": {"n": n}} for n in (1, 2)])

        def experiment(step):
            def target(inputs):
                return {"n": inputs["n"] + step}

            done = evaluate(target, data=self.project, client=self.client, max_concurrency=0)
            return done.experiment_name

        names = [experiment(0), experiment(1)]
        self.client.flush()

        def larger(runs, example):
            best = max(runs, key=lambda run: run.outputs["n"])
            return {"key": "larger", "scores": {run.id: int(run is best) for run in runs}}

        results = evaluate_comparative(names, evaluators=[larger], client=self.client)
        scores = [one["evaluation_results"]["feedback.larger"].scores for one in results]
        self.assertEqual([sorted(one.values()) for one in scores], [[0, 1], [0, 1]])
        self.client.flush()
        best = self.client.read_project(project_name=names[1])
        given = [
            feedback
            for run in self.client.list_runs(project_id=best.id, is_root=True)
            for feedback in self.client.list_feedback(run_ids=[run.id])
        ]
        self.assertEqual([(one.key, one.score) for one in given], [("larger", 1), ("larger", 1)])
        comparison = results.comparative_experiment.id
        self.assertEqual({one.comparative_experiment_id for one in given}, {comparison})
        headers = {"x-api-key": KEY}
        query = {"comparative_experiment_id": str(comparison)}
        self.assertEqual(len(requests.get(f"{URL}/feedback", params=query, headers=headers).json()), 4)
        query = {"comparative_experiment_id": str(uuid4())}
        self.assertEqual(requests.get(f"{URL}/feedback", params=query, headers=headers).json(), [])

    def test_shares_traces_and_configures_feedback(self):
        run_id = uuid4()
        self.client.create_run("shared", {"a": 1}, "chain", id=run_id, project_name=self.project)
        self.client.flush()
        link = self.client.share_run(run_id)
        self.assertTrue(self.client.run_is_shared(run_id))
        token = link.split("/")[-2]
        self.assertEqual(requests.get(f"{URL}/public/{token}/run").json()["name"], "shared")
        self.client.unshare_run(run_id)
        self.assertFalse(self.client.run_is_shared(run_id))
        self.assertEqual(requests.get(f"{URL}/public/{token}/run").status_code, 404)
        key = f"quality-{uuid4()}"
        self.client.create_feedback_config(key, feedback_config={"type": "continuous", "min": 0, "max": 1})
        self.assertEqual([one.feedback_key for one in self.client.list_feedback_configs(feedback_key=[key])], [key])
        self.client.delete_feedback_config(key)


if __name__ == "__main__":
    unittest.main()
