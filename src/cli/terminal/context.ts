import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { defaultDataDir } from '../../launcher/data-dir.ts';
import type { LauncherOptions } from '../../launcher/ensure-server.ts';
import type { HeadStart } from '../../launcher/head-start.ts';
import type { Terminal } from './terminal.ts';

/** The part of standard input that commands use. */
export type Input = Readable & { readonly isTTY?: boolean };

/** Everything that commands depend on. */
export interface ProgramOptions {
  readonly terminal: Terminal;
  /** This program's version. */
  readonly version: string;
  /** Absolute path of the server's bundle. */
  readonly serverPath: string;
  /** Absolute path of the folder of project templates. */
  readonly templatesPath: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly stdin: Input;
  /** Aborted by Ctrl-C and other signals to stop. */
  readonly interrupted: AbortSignal;
}

/** The options and the HTTP dispatcher, which takes a while to load. */
export interface Context extends ProgramOptions {
  readonly dispatcher: Dispatcher;
}

/** The platforms that a command connects to: only the one on this machine, or any. */
export type Reach = 'this machine' | 'network';

/** Loads the HTTP client for a command. By default it reaches any platform. */
export type Connect = (reach?: Reach) => Promise<Context>;

/** Options for finding or starting the server of a data folder. */
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

/** The requested data folder, or the user's default. */
export function dataDirOf(
  { environment }: ProgramOptions,
  { dataDir }: { dataDir?: string | undefined },
): string {
  return dataDir === undefined ? defaultDataDir(environment) : resolve(dataDir);
}
