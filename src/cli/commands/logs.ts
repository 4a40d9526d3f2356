import { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import type { Deployment } from '../../contract/control-plane/deployments.ts';
import type { LogEntry, LogPage } from '../../contract/control-plane/logs.ts';
import { LogLine } from '../../contract/harbor.ts';
import { findDeployment, isServedInPlace } from '../../deploy/find-deployment.ts';
import { followLogs } from '../../deploy/follow-logs.ts';
import { dataDirOption } from '../arguments/arguments.ts';
import { type ConnectOptions, connectionOption, connectToControlPlane } from '../connections/connect.ts';
import { logText } from '../render/deployment.ts';
import { logLine } from '../render/deployments.ts';
import { countArgument } from '../render/paging.ts';
import type { Context } from '../terminal/context.ts';
import { Failure, usage } from '../terminal/failure.ts';

const POLL_MS = 1_000;
/** The most lines that a platform returns at once. */
const MAX_LINES = 1_000;

interface LogsOptions extends ConnectOptions {
  readonly build?: true;
  readonly revision?: string;
  readonly limit: number;
  readonly follow?: true;
  readonly json?: true;
}

export function logsCommand(context: Context): Command {
  return new Command('logs')
    .description("show a deployment's log, or the build log of a revision")
    .argument('<deployment>', 'name or ID')
    .option('--build', 'show the build log (of the latest revision, or of --revision)')
    .option('--revision <id>', 'only this revision')
    .option('--limit <number>', 'number of lines, from the end', countArgument, 100)
    .option('--follow', 'follow the log until Ctrl-C')
    .addOption(connectionOption())
    .addOption(dataDirOption())
    .option('--json', 'print one line of JSON per log line')
    .action((deployment: string, options: LogsOptions) => logs(context, deployment, options));
}

/** Shows the log of the agent of an open folder, as `dev` does, from the lines that the server keeps. */
async function showFolderLog(
  { terminal, interrupted: signal }: Context,
  client: Client,
  { id: deployment_id, name, source_config }: Deployment,
  { build, revision, limit, follow, json }: LogsOptions,
): Promise<void> {
  if (build || revision !== undefined)
    throw new Failure(`'${name}' is the agent of a folder and has no revisions.`);
  if (!source_config.custom_url)
    throw new Failure(`The folder of '${name}' is not open, so it has no log. Run agent-harbor dev in it.`);
  const params = { deployment_id };
  const kept: LogLine[] = [];
  const show = (line: LogLine) =>
    json ? terminal.json(line) : terminal.line(logText(line, terminal.colors));
  for await (const { data } of await client.harbor.log({ params, query: { follow: 'false' } }, { signal }))
    kept.push(LogLine.parse(data));
  for (const line of kept.slice(Math.max(0, kept.length - limit))) show(line);
  if (!follow) return;
  const seen = new Set(kept.map(({ id }) => id));
  for await (const { data } of await client.harbor.log({ params }, { signal })) {
    const line = LogLine.parse(data);
    if (!seen.has(line.id)) show(line);
  }
}

async function logs(context: Context, nameOrId: string, options: LogsOptions): Promise<void> {
  const { terminal, interrupted: signal } = context;
  await using session = await connectToControlPlane(context, options);
  const { deploymentLogs } = session.client;
  const deployment = await findDeployment(session.client, nameOrId, signal);
  if (isServedInPlace(deployment)) {
    return showFolderLog(context, session.client, deployment, options);
  }
  if (options.limit < 1 || options.limit > MAX_LINES)
    throw usage(`--limit must be from 1 to ${MAX_LINES} for a deployment.`);
  const deployment_id = deployment.id;
  const revision_id = options.revision ?? (options.build ? deployment.latest_revision_id : undefined);
  if (revision_id === null) throw new Failure(`'${deployment.name}' has no revision yet.`);
  const read = (body: object): Promise<LogPage> => {
    if (revision_id === undefined)
      return deploymentLogs.deploy({ params: { deployment_id }, body }, { signal });
    const params = { deployment_id, revision_id };
    return options.build
      ? deploymentLogs.build({ params, body }, { signal })
      : deploymentLogs.deployOfRevision({ params, body }, { signal });
  };
  const show = (entry: LogEntry) =>
    options.json ? terminal.json(entry) : terminal.line(logLine(entry, terminal.colors));
  const entries = followLogs(read, {
    limit: options.limit,
    signal,
    hasMore: () => options.follow === true,
    pollMs: POLL_MS,
  });
  for await (const entry of entries) show(entry);
}
