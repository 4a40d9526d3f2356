import { Command } from 'commander';
import { endServer, findServer } from '../../launcher/running-server.ts';
import { formatCount } from '../../process/format-count.ts';
import { dataDirOption } from '../arguments/arguments.ts';
import { type Context, dataDirOf } from '../terminal/context.ts';
import { Failure } from '../terminal/failure.ts';

interface StopOptions {
  readonly dataDir?: string;
  readonly force?: true;
}

export function stopCommand(context: Context): Command {
  return new Command('stop')
    .description('stop the running server; all data is kept')
    .option(
      '--force',
      'also while runs or builds are in progress; unfinished runs continue at the next start',
    )
    .addOption(dataDirOption())
    .action((options: StopOptions) => stop(context, options));
}

async function stop(context: Context, options: StopOptions): Promise<void> {
  const { terminal, dispatcher, interrupted: signal } = context;
  const server = await findServer({ dataDir: dataDirOf(context, options), dispatcher, signal });
  if (server === undefined) {
    terminal.note('No server is running.');
    return;
  }
  const { clients = 0 } = server.handshake;
  // The connected clients would start the server again.
  if (clients > 0) {
    throw new Failure(
      `The server is used by ${formatCount(clients, 'client')}. Press Ctrl-C where agent-harbor dev or serve runs, and run Stop Server in VS Code.`,
    );
  }
  if (!(await endServer(server, options.force ? 'now' : 'unused', { dispatcher }))) {
    throw new Failure(
      'The server was not stopped, because runs or builds are in progress. Wait for them, or use --force.',
    );
  }
  terminal.note(`Stopped the server at ${server.baseUrl}.`);
}
