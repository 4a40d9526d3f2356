import { statfs } from 'node:fs/promises';
import { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import { listDeployments } from '../../client/list-deployments.ts';
import { type DeploymentWithLatest, withLatestStatuses } from '../../deploy/latest-statuses.ts';
import { clientOf } from '../../launcher/client-of.ts';
import { findServer } from '../../launcher/running-server.ts';
import { ifReadable } from '../../process/if-present.ts';
import { dataDirOption } from '../arguments/arguments.ts';
import { DEPLOYMENT_COLUMNS, isClosedFolder } from '../render/deployments.ts';
import { details } from '../render/details.ts';
import { showPage } from '../render/paging.ts';
import { sizeText } from '../render/size.ts';
import { localTime } from '../render/time.ts';
import { type Context, dataDirOf } from '../terminal/context.ts';

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
  const rows = server === undefined ? [] : await listServed(clientOf(server, dispatcher), signal);
  const free = await readFreeBytes(dataDir);
  if (options.json) {
    const running = server && {
      base_url: server.baseUrl,
      pid: server.pid,
      version: server.version,
      started_at: server.handshake.started_at,
      clients: server.handshake.clients,
      busy: server.handshake.busy,
    };
    return terminal.json({
      version,
      data_dir: dataDir,
      free_bytes: free ?? null,
      server: running ?? null,
      deployments: rows,
    });
  }
  const facts = {
    Server: server === undefined ? 'not running; start it with agent-harbor dev or serve' : server.baseUrl,
    Process: server && `${server.pid}, since ${localTime(server.handshake.started_at)}`,
    'Used by': server?.handshake.clients,
    Version: server?.version ?? version,
    // A server of another version runs until it is no longer used, and is then replaced.
    'This program': server === undefined || server.version === version ? undefined : version,
    Data: dataDir,
    'Free on disk': free && sizeText(free),
  };
  for (const line of details(facts, terminal.colors)) terminal.line(line);
  if (server === undefined) return;
  terminal.line('');
  showPage(context, { rows, total: undefined }, DEPLOYMENT_COLUMNS, { empty: 'No agents are served.' });
}

async function listServed(client: Client, signal: AbortSignal): Promise<DeploymentWithLatest[]> {
  const all = await listDeployments(client, undefined, signal);
  return withLatestStatuses(
    client,
    all.filter((deployment) => !isClosedFolder(deployment)),
    signal,
  );
}

/** Reads the free bytes on the disk of the data folder; undefined if there is no folder yet. */
async function readFreeBytes(dataDir: string): Promise<number | undefined> {
  const disk = await ifReadable(statfs(dataDir));
  return disk && disk.bavail * disk.bsize;
}
