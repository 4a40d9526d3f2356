import { type ChildProcess, spawn } from 'node:child_process';
import { compileCacheDir } from './compile-cache.ts';
import { type Executable, thisExecutable } from './executable.ts';
import type { ServerLog } from './server-log.ts';

/** A workspace that the server opens while it starts, as it would be asked to when it is up. */
export interface FirstWorkspace {
  readonly config_path: string;
  readonly holder: string;
  readonly port?: number | undefined;
  readonly python?: string | undefined;
  readonly require_key?: boolean | undefined;
}

export interface SpawnOptions {
  /** Absolute path of the folder the server keeps everything in; made when it is new. */
  readonly dataDir: string;
  /** Absolute path of the server's bundle, `dist/server.js`. */
  readonly serverPath: string;
  /** What runs it; this very program unless said otherwise. */
  readonly executable?: Executable | undefined;
  /** The platform's port; any free one unless said otherwise. */
  readonly port?: number | undefined;
  /** How long it stays after its last client has gone; a minute unless said otherwise. */
  readonly graceSeconds?: number | undefined;
  /** How long it serves the workspaces of a client that has gone; the server's own half a minute unless said otherwise. */
  readonly holderGraceSeconds?: number | undefined;
  /** Variables it gets besides those of this process. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly workspace?: FirstWorkspace | undefined;
}

/**
 * MB of each half of V8's space for what is new. By itself it grows to 64, and stays there, for the garbage of a burst;
 * measured, a run costs the server no more processor time with a small one.
 */
const NEW_SPACE_MB = 4;

/** Long enough for a window to reload. */
const GRACE_SECONDS = 60;

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly error?: Error;
}

/** A process that is to become the server. */
export interface SpawnedServer {
  /** How it ended, if it has. */
  ending(): Ending | undefined;
  end(): void;
}

/** Starts the process, detached. What it prints goes to the log. */
export function spawnServer(options: SpawnOptions, log: ServerLog): SpawnedServer {
  const { command, environment } = options.executable ?? thisExecutable();
  const child = spawn(command, serverArguments(options), {
    // Not the caller's folder, which Windows could then neither move nor delete.
    cwd: options.dataDir,
    detached: true,
    windowsHide: true,
    stdio: ['ignore', log.descriptor, log.descriptor],
    env: {
      NODE_COMPILE_CACHE: compileCacheDir(),
      ...inheritedEnvironment(),
      ...environment,
      ...options.environment,
    },
  });
  child.unref();
  return { ending: endingOf(child), end: () => void child.kill() };
}

function serverArguments(options: SpawnOptions): string[] {
  const { serverPath, dataDir, port, graceSeconds, holderGraceSeconds, workspace } = options;
  return [
    `--max-semi-space-size=${NEW_SPACE_MB}`,
    serverPath,
    ...['--data-dir', dataDir],
    ...['--grace-seconds', String(graceSeconds ?? GRACE_SECONDS)],
    ...(holderGraceSeconds === undefined ? [] : ['--holder-grace-seconds', String(holderGraceSeconds)]),
    ...(port === undefined ? [] : ['--port', String(port)]),
    ...(workspace === undefined ? [] : ['--workspace', JSON.stringify(workspace)]),
  ];
}

/** The environment, less what would make a debugger attach to a process nobody means to debug. */
function inheritedEnvironment(): NodeJS.ProcessEnv {
  const { VSCODE_INSPECTOR_OPTIONS: _, ELECTRON_RUN_AS_NODE: __, ...environment } = process.env;
  return environment;
}

function endingOf(child: ChildProcess): () => Ending | undefined {
  let ending: Ending | undefined;
  child.once('exit', (code, signal) => {
    ending ??= { code, signal };
  });
  child.once('error', (error) => {
    ending ??= { code: null, signal: null, error };
  });
  return () => ending;
}
