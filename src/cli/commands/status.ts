import { Command } from 'commander';
import { listDeployments } from '../../deploy/find-deployment.ts';
import { clientOf, findServer } from '../../launcher/running-server.ts';
import { dataDirOption } from '../arguments.ts';
import { type Context, dataDirOf } from '../context.ts';
import { showPage } from '../paging.ts';
import { DEPLOYMENT_COLUMNS, isClosedFolder } from '../render/deployments.ts';
import { details } from '../render/details.ts';
import { localTime } from '../render/time.ts';

interface StatusOptions {
  readonly dataDir?: string;
  readonly json?: true;
}

export function statusCommand(context: Context): Command {
  return new Command('status')
    .description('show the running server, its data folder and what it serves; never starts one')
    .addOption(dataDirOption())
    .option('--json', 'print JSON')
    .action((options: StatusOptions) => status(context, options));
}

async function status(context: Context, options: StatusOptions): Promise<void> {
  const { terminal, dispatcher, version, interrupted: signal } = context;
  const dataDir = dataDirOf(context, options);
  const server = await findServer({ dataDir, dispatcher, signal });
  const all =
    server === undefined ? [] : await listDeployments(clientOf(server, dispatcher), undefined, signal);
  const rows = all.filter((deployment) => !isClosedFolder(deployment));
  if (options.json) {
    const running = server && {
      base_url: server.baseUrl,
      pid: server.pid,
      version: server.version,
      started_at: server.handshake.started_at,
      clients: server.handshake.clients,
      busy: server.handshake.busy,
    };
    return terminal.line(
      JSON.stringify({ version, data_dir: dataDir, server: running ?? null, deployments: rows }),
    );
  }
  const facts = {
    Server: server === undefined ? 'not running; start it with agent-harbor dev or serve' : server.baseUrl,
    Process: server && `${server.pid}, since ${localTime(server.handshake.started_at)}`,
    'Used by': server?.handshake.clients,
    Version: server?.version ?? version,
    // A server of this version replaces it when it is no longer used.
    'This program': server === undefined || server.version === version ? undefined : version,
    Data: dataDir,
  };
  for (const line of details(facts, terminal.colors)) terminal.line(line);
  if (server === undefined) return;
  terminal.line('');
  showPage(context, { rows, total: undefined }, DEPLOYMENT_COLUMNS, { empty: 'No agents are served.' });
}
