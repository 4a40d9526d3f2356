"""LangChain's adapters of MCP tools against a real server; run by mcp-clients.test.ts."""

import os
import unittest

from langchain_mcp_adapters.client import MultiServerMCPClient


class TheAdapters(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        client = MultiServerMCPClient({"harbor": {"transport": "http", "url": os.environ["MCP_URL"]}})
        self.tools = {tool.name: tool for tool in await client.get_tools()}

    async def call(self, name, **args):
        """The message, with the structured result as its artifact."""
        return await self.tools[name].ainvoke({"name": name, "type": "tool_call", "id": "call", "args": args})

    async def structured(self, name, **args):
        return (await self.call(name, **args)).artifact["structured_content"]

    async def test_make_tools_of_assistants(self):
        self.assertLessEqual({"asks", "chat", "fails"}, set(self.tools))
        properties = self.tools["chat"].args_schema["properties"]
        self.assertEqual((properties["messages"]["type"], properties["thread_id"]["type"]), ("array", "string"))
        message = await self.call("chat", messages=[{"role": "user", "content": "hi"}])
        self.assertIn("You said: hi", message.content[0]["text"])

    async def test_tell_models_of_errors(self):
        message = await self.call("fails")
        self.assertEqual(message.status, "error")
        self.assertIn("on purpose", str(message.content))

    async def test_keep_the_thread_of_a_conversation(self):
        first = await self.structured("chat", thread_id="new", messages=[{"role": "user", "content": "one"}])
        second = await self.structured(
            "chat", thread_id=first["thread_id"], messages=[{"role": "user", "content": "two"}]
        )
        said = [message["content"] for message in second["messages"]]
        self.assertEqual(said, ["one", "You said: one", "two", "You said: two"])

    async def test_answer_an_interrupt_by_arguments(self):
        asked = await self.structured("asks", asks=["Name?"])
        resume = {"thread_id": asked["__resume__"]["thread_id"], "value": "Ada"}
        self.assertEqual((await self.structured("asks", __resume__=resume))["answers"], ["Ada"])


if __name__ == "__main__":
    unittest.main()
