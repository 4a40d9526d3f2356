import { serveStdio as serve } from '@modelcontextprotocol/server/stdio';
import { toolsUpTo } from './effects.ts';
import { makeMcpServer } from './mcp-server.ts';
import { PROJECT_TOOLS } from './project-tools.ts';
import type { Effect } from './tool.ts';
import type { ProjectToolContext } from './tool-context.ts';

interface StdioOptions {
  readonly version: string;
  /** The strongest effect that tools may have; tools with stronger effects are not offered. */
  readonly allowed: Effect;
}

/**
 * Serves the allowed tools on standard input and output. Resolves when the client has closed standard input or the
 * context's signal is aborted; immediately if the signal is already aborted.
 */
export async function serveStdio(
  context: ProjectToolContext,
  { version, allowed }: StdioOptions,
): Promise<void> {
  // A signal that is already aborted fires no event.
  if (context.signal.aborted) return;
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const tools = toolsUpTo(PROJECT_TOOLS, allowed);
  const handle = serve(() => makeMcpServer({ version, tools, context }));
  process.stdin.once('end', close);
  process.stdin.once('close', close);
  context.signal.addEventListener('abort', () => close());
  await closed;
  await handle.close();
}
