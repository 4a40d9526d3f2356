import { createMcpHandler } from '@modelcontextprotocol/server';
import { toolsUpTo } from './effects.ts';
import { makeMcpServer } from './mcp-server.ts';
import { PLATFORM_TOOLS } from './platform-tools.ts';
import type { Effect } from './tool.ts';
import type { ToolContext } from './tool-context.ts';

interface HttpOptions {
  readonly version: string;
  /** The strongest effect that tools may have; tools with stronger effects are not offered. */
  readonly allowed: Effect;
  /** The body of the request, parsed. */
  readonly body: unknown;
}

/**
 * Answers one request of Streamable HTTP without sessions, in the versions of MCP that today's clients
 * speak. It checks neither the caller nor the request's origin.
 */
export async function answerHttp(
  request: Request,
  context: ToolContext,
  { version, allowed, body }: HttpOptions,
): Promise<Response> {
  const tools = toolsUpTo(PLATFORM_TOOLS, allowed);
  const handler = createMcpHandler(() => makeMcpServer({ version, tools, context }));
  return handler.fetch(request, { parsedBody: body });
}
