"""The real Python SDK of A2A against a real server; run by a2a-sdk.test.ts."""

import os
import unittest
from uuid import uuid4

import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.helpers import get_artifact_text, get_message_text, new_data_message, new_raw_message, new_text_message
from a2a.types import (
    CancelTaskRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTasksRequest,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskState,
)
from a2a.utils.errors import (
    InvalidParamsError,
    PushNotificationNotSupportedError,
    TaskNotCancelableError,
    TaskNotFoundError,
    UnsupportedOperationError,
)

URL = os.environ["AGENT_URL"]


def connect(assistant, **config):
    # The default HTTP client gives up after five seconds.
    patient = httpx.AsyncClient(timeout=None)
    return ClientFactory(ClientConfig(httpx_client=patient, **config)).create_from_url(f"{URL}/a2a/{assistant}")


def text(words, **more):
    return SendMessageRequest(message=new_text_message(words, role=Role.ROLE_USER, **more))


def data(fields, **more):
    return SendMessageRequest(message=new_data_message(fields, role=Role.ROLE_USER, **more))


async def send(client, request):
    """The task that the only answer has."""
    [answer] = [answer async for answer in client.send_message(request)]
    return answer.task


class TheClient(unittest.IsolatedAsyncioTestCase):
    async def test_sends_messages_and_continues_their_context(self):
        context = f"a talk {uuid4()}"
        async with await connect("agent", streaming=False) as client:
            task = await send(client, text("The weather in Paris?", context_id=context))
            self.assertEqual(task.status.state, TaskState.TASK_STATE_COMPLETED)
            self.assertEqual(task.context_id, context)
            self.assertIn("sunny", get_artifact_text(task.artifacts[0]))
            read = await client.get_task(GetTaskRequest(id=task.id, history_length=2))
            self.assertEqual([message.role for message in read.history], [Role.ROLE_USER, Role.ROLE_AGENT])
            self.assertIn("sunny", get_message_text(read.history[-1]))
            other = await send(client, text("Thanks", context_id=context))
            listed = await client.list_tasks(ListTasksRequest(context_id=context, page_size=1))
            self.assertEqual(([task.id for task in listed.tasks], listed.total_size), ([other.id], 2))
            request = ListTasksRequest(
                context_id=context, page_token=listed.next_page_token, include_artifacts=True
            )
            rest = await client.list_tasks(request)
            self.assertEqual([each.id for each in rest.tasks], [task.id])
            self.assertEqual(rest.tasks[0].artifacts, task.artifacts)
            self.assertEqual(rest.next_page_token, "")

    async def test_streams_to_the_question_and_from_the_answer_to_the_end(self):
        async with await connect("nested") as client:
            asked = [event async for event in client.send_message(data({"topic": "it"}))]
            self.assertEqual([event.WhichOneof("payload") for event in asked], ["task"] + ["status_update"] * 2)
            status = asked[-1].status_update.status
            self.assertEqual(status.state, TaskState.TASK_STATE_INPUT_REQUIRED)
            self.assertIn("Is it fine?", get_message_text(status.message))
            task = asked[0].task
            answer = text("yes", task_id=task.id, context_id=task.context_id)
            answered = [event async for event in client.send_message(answer)]
            self.assertEqual(answered[0].task.id, task.id)
            self.assertEqual(answered[-1].status_update.status.state, TaskState.TASK_STATE_COMPLETED)
            [artifact] = [event.artifact_update.artifact for event in answered if event.HasField("artifact_update")]
            self.assertIn("inner: yes", str(artifact.parts[0].data))
            with self.assertRaises(UnsupportedOperationError):
                await send(client, answer)
            with self.assertRaises(UnsupportedOperationError):
                [event async for event in client.subscribe(SubscribeToTaskRequest(id=task.id))]

    async def test_follows_a_task_again_and_cancels_it(self):
        async with await connect("slow", streaming=False, polling=True) as client:
            task = await send(client, data({"ms": 600_000}))
            working = [TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING]
            self.assertIn(task.status.state, working)
            async with await connect("slow") as reader:
                events = reader.subscribe(SubscribeToTaskRequest(id=task.id))
                first = await anext(events)
                self.assertIn(first.task.status.state, working)
                canceled = await client.cancel_task(CancelTaskRequest(id=task.id))
                self.assertEqual(canceled.status.state, TaskState.TASK_STATE_CANCELED)
                rest = [event async for event in events]
                self.assertEqual(
                    [event.status_update.status.state for event in rest], [TaskState.TASK_STATE_CANCELED]
                )
            with self.assertRaises(TaskNotCancelableError):
                await client.cancel_task(CancelTaskRequest(id=task.id))
            ended = ListTasksRequest(status=TaskState.TASK_STATE_CANCELED)
            self.assertIn(task.id, [each.id for each in (await client.list_tasks(ended)).tasks])

    async def test_sends_files(self):
        async with await connect("agent", streaming=False) as client:
            image = new_raw_message(b"\x00", media_type="image/png", filename="a.png", role=Role.ROLE_USER)
            task = await send(client, SendMessageRequest(message=image))
            self.assertEqual(task.status.state, TaskState.TASK_STATE_COMPLETED)

    async def test_raises_what_is_wrong(self):
        async with await connect("agent", streaming=False) as client:
            with self.assertRaises(TaskNotFoundError):
                await client.get_task(GetTaskRequest(id=str(uuid4())))
            with self.assertRaises(TaskNotFoundError):
                await client.cancel_task(CancelTaskRequest(id=str(uuid4())))
            with self.assertRaises(PushNotificationNotSupportedError):
                await client.get_task_push_notification_config(GetTaskPushNotificationConfigRequest(id="a"))
            empty = new_raw_message(b"", role=Role.ROLE_USER)
            with self.assertRaises(InvalidParamsError):
                await send(client, SendMessageRequest(message=empty))
            nameless = text("Hello")
            nameless.message.message_id = ""
            with self.assertRaises(InvalidParamsError):
                await send(client, nameless)
            negative = text("Hello")
            negative.configuration.CopyFrom(SendMessageConfiguration(history_length=-1))
            with self.assertRaises(InvalidParamsError):
                await send(client, negative)


if __name__ == "__main__":
    unittest.main()
