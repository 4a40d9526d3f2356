import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { z } from 'zod';
import { distFolder } from './dist.ts';

/** A coding agent: a client of `agent-harbor mcp`, as programs start it. */
export interface McpSession extends AsyncDisposable {
  readonly client: Client;
  /** Calls a tool. @throws Error with what the tool says when it fails */
  call(name: string, input?: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** The length of the longest answer so far, in characters. */
  readonly longest: number;
}

const Answer = z.looseObject({
  isError: z.boolean().optional(),
  content: z.array(z.looseObject({ text: z.string() })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
});

/** @param args after `agent-harbor mcp` */
export async function mcpSession(
  cwd: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<McpSession> {
  const client = new Client({ name: 'a coding agent', version: '1' });
  const inherited = Object.entries(process.env).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [path.join(distFolder, 'cli.js'), 'mcp', ...args],
      cwd,
      env: { ...Object.fromEntries(inherited), ...environment },
      stderr: 'ignore',
    }),
  );
  let longest = 0;
  return {
    client,
    get longest() {
      return longest;
    },
    async call(name, input = {}) {
      const raw = await client.callTool({ name, arguments: input }, undefined, { timeout: 120_000 });
      const { isError, content, structuredContent } = Answer.parse(raw);
      const text = content.map((part) => part.text).join('');
      longest = Math.max(longest, text.length);
      if (isError) throw new Error(text);
      return structuredContent ?? {};
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
