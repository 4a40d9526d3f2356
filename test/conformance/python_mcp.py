"""The newest MCP SDK of Python against a real server; run by mcp-clients.test.ts."""

import asyncio
import json
import os
import unittest
from urllib.request import Request, urlopen

from mcp import Client, MCPError
from mcp.types import ElicitResult

URL = os.environ["MCP_URL"]
FORM = {
    "mode": "form",
    "message": "Choose a color",
    "requestedSchema": {
        "type": "object",
        "properties": {"color": {"type": "string", "enum": ["red", "blue"]}},
        "required": ["color"],
    },
}
PAGE = {"mode": "url", "message": "Connect", "url": "https://example.com/connect?state=s"}


def accept(**content):
    return ElicitResult(action="accept", content=content or None)


class TheClient(unittest.IsolatedAsyncioTestCase):
    def connect(self, mode, replies=()):
        self.asked = []
        rest = list(replies)

        async def elicit(_, params):
            self.asked.append(params.message)
            return rest.pop(0)

        return Client(URL, mode=mode, elicitation_callback=elicit)

    async def test_calls_tools_in_both_eras(self):
        for mode, version in (("legacy", "2025-11-25"), ("auto", "2026-07-28")):
            async with self.connect(mode) as client:
                self.assertEqual((client.protocol_version, client.server_info.name), (version, "agent-harbor"))
                self.assertIn("chat", [tool.name for tool in (await client.list_tools()).tools])
                said = await client.call_tool("chat", {"messages": [{"role": "user", "content": "hi"}]})
                self.assertEqual(said.structured_content["messages"][-1]["content"], "You said: hi")
                failed = await client.call_tool("fails", {})
                self.assertEqual((failed.is_error, failed.content[0].text), (True, "Error: on purpose"))
                with self.assertRaisesRegex(MCPError, "Unknown tool 'nobody'"):
                    await client.call_tool("nobody", {})

    async def test_asks_its_user_what_interrupts_say(self):
        replies = [accept(response="Ada"), accept(color="blue"), accept(), ElicitResult(action="decline")]
        async with self.connect("auto", replies) as client:
            result = await client.call_tool("asks", {"asks": ["Name?", FORM, PAGE, FORM]})
        self.assertEqual(self.asked, ["Name?", "Choose a color", "Connect", "Choose a color"])
        self.assertEqual(
            result.structured_content["answers"],
            ["Ada", {"action": "accept", "content": {"color": "blue"}}, {"action": "accept"}, {"action": "decline"}],
        )

    async def test_ends_a_call_that_nobody_answers(self):
        async with self.connect("auto", [ElicitResult(action="cancel")]) as client:
            result = await client.call_tool("asks", {"asks": ["Name?"]})
        self.assertTrue(result.is_error)
        self.assertIn("Nobody answered the question", result.content[0].text)

    async def test_ends_a_call_that_is_given_up(self):
        """The test that runs this checks that its run has ended."""
        async with self.connect("auto") as client:
            call = asyncio.create_task(client.call_tool("sleeps", {"name": "forever"}))
            while await asyncio.to_thread(self.count_busy) == 0:
                await asyncio.sleep(0.05)
            call.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await call

    def count_busy(self):
        body = json.dumps({"status": "busy"}).encode()
        headers = {"content-type": "application/json"}
        with urlopen(Request(URL.replace("/mcp", "/threads/count"), body, headers)) as response:
            return json.load(response)


if __name__ == "__main__":
    unittest.main()
