import { McpTasksConfig } from '../../../runtimes/project/project-config.ts';
import type { Admission } from '../../auth/admission.ts';
import { Mcp } from './mcp.ts';
import { McpCallStore, type McpCallStoreOptions } from './mcp-call-store.ts';
import { McpCalls, type McpCallsOptions } from './mcp-calls.ts';
import { McpTasks } from './mcp-tasks.ts';
import { McpTools, type McpToolsOptions } from './mcp-tools.ts';

export type McpParts = McpToolsOptions &
  McpCallStoreOptions &
  Pick<McpCallsOptions, 'requests'> & {
    readonly admission: Pick<Admission, 'readProject'>;
    readonly version: string;
  };

/** Creates the MCP server of a deployment. */
export function makeMcp(parts: McpParts): Mcp {
  const tools = new McpTools(parts);
  const store = new McpCallStore(parts);
  const settings = async () =>
    McpTasksConfig.parse((await parts.admission.readProject()).config.http?.mcp?.tasks ?? {});
  const calls = new McpCalls({ ...parts, tools, store, settings });
  return new Mcp({
    tools,
    calls,
    tasks: new McpTasks({ ...parts, calls, store, settings }),
    version: parts.version,
  });
}
