import type { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import { dataDirOption } from '../arguments/arguments.ts';
import { type ConnectOptions, connectionOption, connectToControlPlane } from '../connections/connect.ts';
import type { Context } from '../terminal/context.ts';

export interface PlatformOptions extends ConnectOptions {
  readonly json?: true;
}

export function addPlatformOptions(command: Command): Command {
  return command.addOption(connectionOption()).addOption(dataDirOption()).option('--json', 'print JSON');
}

/** Calls `work` with the platform that the command line selects. */
export async function withPlatform<Result>(
  context: Context,
  options: PlatformOptions,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  await using session = await connectToControlPlane(context, options);
  return await work(session.client);
}
