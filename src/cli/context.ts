import { resolve } from 'node:path';
import type { Dispatcher } from 'undici';
import { defaultDataDir } from '../launcher/data-dir.ts';
import type { LauncherOptions } from '../launcher/ensure-server.ts';
import type { HeadStart } from '../launcher/head-start.ts';
import type { Terminal } from './terminal.ts';

/** What a command is made with. */
export interface ProgramOptions {
  readonly terminal: Terminal;
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

/** The same with what carries requests, which takes a while to load. */
export interface Context extends ProgramOptions {
  readonly dispatcher: Dispatcher;
}

/** How the server of a data folder is found or started from here. */
export function launcherOptions(
  context: Context,
  options: {
    dataDir?: string | undefined;
    port?: number | undefined;
    headStart?: HeadStart | undefined;
  },
): LauncherOptions {
  return {
    dataDir: dataDirOf(context, options),
    serverPath: context.serverPath,
    dispatcher: context.dispatcher,
    version: context.version,
    port: options.port,
    headStart: options.headStart,
  };
}

/** The folder that was asked for, or the user's own. */
export function dataDirOf(
  { environment }: ProgramOptions,
  { dataDir }: { dataDir?: string | undefined },
): string {
  return dataDir === undefined ? defaultDataDir(environment) : resolve(dataDir);
}
