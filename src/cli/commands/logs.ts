import { Command } from 'commander';
import type { LogEntry, LogPage } from '../../contract/control-plane/logs.ts';
import { findDeployment, isServedInPlace } from '../../deploy/find-deployment.ts';
import { followLogs } from '../../deploy/follow-logs.ts';
import { dataDirOption } from '../arguments.ts';
import { type ConnectOptions, connectionOption, connectToControlPlane } from '../connections/connect.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { countArgument } from '../paging.ts';
import { logLine } from '../render/deployments.ts';

const POLL_MS = 1_000;

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

async function logs(context: Context, nameOrId: string, options: LogsOptions): Promise<void> {
  const { terminal, interrupted: signal } = context;
  await using session = await connectToControlPlane(context, options);
  const { deploymentLogs } = session.client;
  const deployment = await findDeployment(session.client, nameOrId, signal);
  if (isServedInPlace(deployment)) {
    throw new Failure(
      `'${deployment.name}' is served from its folder and has no revisions. Run agent-harbor dev in that folder to see its log.`,
    );
  }
  const deployment_id = deployment.id;
  const revision_id = options.revision ?? (options.build ? (deployment.latest_revision_id ?? '') : undefined);
  const read = (body: object): Promise<LogPage> => {
    if (revision_id === undefined)
      return deploymentLogs.deploy({ params: { deployment_id }, body }, { signal });
    const params = { deployment_id, revision_id };
    return options.build
      ? deploymentLogs.build({ params, body }, { signal })
      : deploymentLogs.deployOfRevision({ params, body }, { signal });
  };
  const show = (entry: LogEntry) =>
    terminal.line(options.json ? JSON.stringify(entry) : logLine(entry, terminal.colors));
  const entries = followLogs(read, {
    limit: options.limit,
    signal,
    hasMore: () => options.follow === true,
    pollMs: POLL_MS,
  });
  for await (const entry of entries) show(entry);
}
