import path from 'node:path';
import { Command, Option } from 'commander';
import { EFFECTS } from '../../coding-agents/effects.ts';
import type { Effect } from '../../coding-agents/tool.ts';
import type { ProjectToolContext } from '../../coding-agents/tool-context.ts';
import { describeProject } from '../../run-files/describe-project.ts';
import { configOption, dataDirOption } from '../arguments/arguments.ts';
import { serveProject } from '../evaluation/served-project.ts';
import { connectToPlatform, type PlatformSession } from '../folders/agent-connection.ts';
import { findConfig } from '../folders/open-folder.ts';
import type { Context } from '../terminal/context.ts';
import { findOwnOrLatestProject } from '../tracing/projects.ts';

interface McpCommandOptions {
  readonly config: string;
  readonly allow: Effect;
  readonly dataDir?: string;
}

export function mcpCommand(context: Context): Command {
  return new Command('mcp')
    .description('serve traces, runs and proofs to coding agents, over MCP on standard input and output')
    .addOption(configOption())
    .addOption(
      new Option(
        '--allow <effect>',
        'what the tools may do at most: read stored data, also replay saved runs, or also run graphs',
      )
        .choices(EFFECTS)
        .default('runs'),
    )
    .addOption(dataDirOption())
    .action((options: McpCommandOptions) => mcp(context, options));
}

async function mcp(context: Context, options: McpCommandOptions): Promise<void> {
  const { interrupted: signal, environment, version } = context;
  let session: Promise<PlatformSession> | undefined;
  const connect = () => {
    session ??= connectToPlatform(context, { ...options, client: 'agent-harbor mcp' }).catch(
      (error: unknown) => {
        // The next call tries again.
        session = undefined;
        throw error;
      },
    );
    return session;
  };
  const config = () => findConfig(options.config);
  const toolContext: ProjectToolContext = {
    signal,
    config,
    platform: async () => (await connect()).client,
    deployment: async () => serveProject(await connect(), await config(), signal),
    // Traces can be read in a folder without langgraph.json.
    folder: () => config().then(path.dirname, () => process.cwd()),
    serve: async (variables) => serveProject(await connect(), await config(), signal, variables),
    describe: async () => describeProject(await config(), environment),
    tracingProject: async () => findOwnOrLatestProject(context, (await connect()).client, await config()),
  };
  const { serveStdio } = await import('../../coding-agents/serve-stdio.ts');
  try {
    await serveStdio(toolContext, { version, allowed: options.allow });
  } finally {
    // A session that could not be started need not be closed.
    await (await session?.catch(() => undefined))?.close();
  }
}
