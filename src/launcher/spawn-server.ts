import { type ChildProcess, spawn } from 'node:child_process';
import { mallocSettings } from '../process/malloc-settings.ts';
import { mergeEnvironments } from '../process/merge-environments.ts';
import { SERVER_SECRETS, withoutSecrets } from '../process/secret-variables.ts';
import { compileCacheDir } from './compile-cache.ts';
import { type Executable, thisExecutable } from './executable.ts';
import type { ServerLog } from './server-log.ts';

/** A folder that the server opens while it starts: the body of `harbor.openFolder`, which explains the fields. */
export interface FirstFolder {
  readonly config_path: string;
  readonly holder: string;
  readonly port?: number | undefined;
  readonly python?: string | undefined;
  readonly require_key?: boolean | undefined;
  readonly host?: string | undefined;
}

export interface SpawnOptions {
  /** Absolute path of the data folder; created if needed. */
  readonly dataDir: string;
  /** Absolute path of the server's bundle, `dist/server.js`. */
  readonly serverPath: string;
  /** The executable; the default is the current one. */
  readonly executable?: Executable | undefined;
  /** Port of the platform; the default is any free port. */
  readonly port?: number | undefined;
  /** How long the server stays up after its last client has left; the default is one minute. */
  readonly graceSeconds?: number | undefined;
  /** How long the server serves the folders of a client that has left; the default is half a minute. */
  readonly holderGraceSeconds?: number | undefined;
  /** Environment variables besides those of this process. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly firstFolder?: FirstFolder | undefined;
}

/**
 * Size in MB of V8's semi-space. By default it grows to 64 after a burst and stays there; measurements show
 * no more processor time per run with a small one.
 */
const NEW_SPACE_MB = 4;

/** The default for `graceSeconds`: long enough for a window to reload. */
const GRACE_SECONDS = 60;

/** How a process ended, or why it could not be started. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly error?: Error;
}

/** A server process that is starting. */
export interface SpawnedServer {
  /** Undefined while the process runs. */
  ending(): Ending | undefined;
  end(): void;
  /**
   * Ends the process unless it has this ID. If it kept running, it would become a server as soon as the
   * other one ends.
   */
  endUnlessIs(pid: number): void;
}

/** Starts the process, detached. Its output goes to the log. */
export function spawnServer(options: SpawnOptions, log: ServerLog): SpawnedServer {
  const { command, environment } = options.executable ?? thisExecutable();
  const child = spawn(command, serverArguments(options), {
    // Not the caller's folder, because Windows could then not move or delete it.
    cwd: options.dataDir,
    detached: true,
    windowsHide: true,
    stdio: ['ignore', log.descriptor, log.descriptor],
    env: serverEnvironment({ ...environment, ...options.environment }),
  });
  child.unref();
  return {
    ending: endingOf(child),
    end: () => void child.kill(),
    endUnlessIs: (pid) => {
      if (child.pid !== pid) child.kill();
    },
  };
}

function serverArguments(options: SpawnOptions): string[] {
  const { serverPath, dataDir, port, graceSeconds, holderGraceSeconds, firstFolder } = options;
  return [
    `--max-semi-space-size=${NEW_SPACE_MB}`,
    // Otherwise every log would have the warning about node:sqlite twice.
    '--disable-warning=ExperimentalWarning',
    serverPath,
    ...['--data-dir', dataDir],
    ...['--grace-seconds', String(graceSeconds ?? GRACE_SECONDS)],
    ...(holderGraceSeconds === undefined ? [] : ['--holder-grace-seconds', String(holderGraceSeconds)]),
    ...(port === undefined ? [] : ['--port', String(port)]),
    ...(firstFolder === undefined ? [] : ['--folder', JSON.stringify(firstFolder)]),
  ];
}

/**
 * The environment with the given variables, but without secrets, and without VS Code's variables for its own
 * processes.
 */
function serverEnvironment(given: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { VSCODE_INSPECTOR_OPTIONS: _, ELECTRON_RUN_AS_NODE: __, ...inherited } = process.env;
  // The API key of another platform is meant for clients, and graphs could read any secret of the server's process.
  const environment = withoutSecrets(SERVER_SECRETS, mergeEnvironments([inherited, given]));
  const defaults = { NODE_COMPILE_CACHE: compileCacheDir(), ...mallocSettings(environment) };
  return mergeEnvironments([defaults, environment]);
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
