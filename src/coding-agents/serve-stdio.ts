import { serveStdio as serve } from '@modelcontextprotocol/server/stdio';
import { type McpOptions, makeMcpServer } from './mcp-server.ts';
import type { Workshop } from './workshop.ts';

/**
 * Serves the tools on standard input and output, in the versions of MCP that today's clients speak.
 * @returns when the client has closed its end, or the workshop's signal is aborted
 */
export async function serveStdio(workshop: Workshop, options: McpOptions): Promise<void> {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const handle = serve(() => makeMcpServer(workshop, options));
  process.stdin.once('end', close);
  process.stdin.once('close', close);
  workshop.signal.addEventListener('abort', () => close());
  await closed;
  await handle.close();
}
