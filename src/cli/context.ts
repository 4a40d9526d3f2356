import { resolve } from 'node:path';
import type { Dispatcher } from 'undici';
import { defaultDataDir } from '../launcher/data-dir.ts';
import type { LauncherOptions } from '../launcher/ensure-server.ts';
import type { Terminal } from './terminal.ts';

/** What every command works with. */
export interface Context {
  readonly terminal: Terminal;
  readonly dispatcher: Dispatcher;
  /** This program's version. */
  readonly version: string;
  /** Absolute path of the server's bundle. */
  readonly serverPath: string;
  /** Absolute path of the folder of project templates. */
  readonly templatesPath: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadStream;
  /** Aborted by Ctrl-C and by whoever asks the program to end. */
  readonly interrupted: AbortSignal;
}

/** How the server of a data folder is found or started from here. */
export function launcherOptions(
  context: Context,
  options: { dataDir?: string | undefined; port?: number | undefined },
): LauncherOptions {
  return {
    dataDir: options.dataDir === undefined ? defaultDataDir(context.environment) : resolve(options.dataDir),
    serverPath: context.serverPath,
    dispatcher: context.dispatcher,
    version: context.version,
    port: options.port,
  };
}
