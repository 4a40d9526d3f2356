import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { readServerFile } from '../../src/launcher/server-file.ts';
import { endProcessTree, killTreeNow, type Marker } from './process-tree.ts';
import { installVsCode } from './vscode-install.ts';
import { quietSettings, type Settings } from './vscode-settings.ts';
import { patience } from './wait.ts';
import { uriPath, type WorkbenchAddress, workbenchUrl } from './workbench-url.ts';

const startTimeoutMs = 60_000 * patience;

export interface VsCodeServerOptions {
  /** Override {@link quietSettings}. */
  readonly settings?: Settings;
  /** Folders of built extensions to install; they are used where they are, not copied. */
  readonly extensions?: readonly string[];
  /** A VSIX to install, as a user does. */
  readonly vsix?: string;
  /**
   * Honours `extensionDevelopmentPath` and `extensionTestsPath`. VS Code then assumes that its own smoke
   * tests drive it and, among other things, shows no notification toasts, unlike for a user.
   */
  readonly automation?: boolean;
  /** The data folder of the extension's own server, which is ended with VS Code; a temporary one by default. */
  readonly harborDataDir?: string;
  /** The port to listen on; a free one by default. */
  readonly port?: number;
  /** Added to the environment of the server, and thereby of the extension host and its terminals. */
  readonly env?: Readonly<Record<string, string>>;
}

/** No extension marketplace: nothing is looked up or updated there. */
const noGallery = { EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: '' }) };

/** A manifest of an extension, as far as VS Code's list of extensions needs it. */
const manifestSchema = z.object({ publisher: z.string(), name: z.string(), version: z.string() });

export interface VsCodeServer {
  readonly origin: string;
  readonly pid: number;
  /** Contains the folders `user`, `extensions` and `server` of this VS Code; deleted by `stop`. */
  readonly dataFolder: string;
  /** The data folder of the extension's own server; `server.json` in it says where that is. */
  readonly harborDataDir: string;
  /** Resolves with the server's exit code when it ends; with `null` if it was killed. */
  readonly exited: Promise<number | null>;
  /** Everything it has printed so far. */
  output(): string;
  /** The address that opens a workbench in a browser. */
  workbenchUrl(address: WorkbenchAddress): string;
  /** Ends it with everything it started, and removes its folders. */
  stop(): Promise<void>;
}

/**
 * Starts a separate VS Code (with its own settings, extensions and state) on a free loopback port.
 *
 * @throws an Error with what it printed when it ends or says nothing for too long
 */
export async function startVsCodeServer(options: VsCodeServerOptions = {}): Promise<VsCodeServer> {
  const { serverMain } = await installVsCode();
  const dataFolder = await mkdtemp(path.join(tmpdir(), 'agent-harbor-vscode-'));
  const user = path.join(dataFolder, 'user');
  await mkdir(path.join(user, 'User'), { recursive: true });
  await writeFile(
    path.join(user, 'User', 'settings.json'),
    JSON.stringify({ ...quietSettings, ...options.settings }, null, 2),
  );

  await mkdir(path.join(dataFolder, 'extensions'));
  if (options.vsix !== undefined) await installVsix(serverMain, dataFolder, options.vsix);
  await addToExtensionsList(path.join(dataFolder, 'extensions'), options.extensions ?? []);

  // The tests must never use the server and the data of the user who runs them.
  const harborDataDir = options.harborDataDir ?? path.join(dataFolder, 'harbor');
  // Anyone who knows the address can run commands here, so it must be secret from other users of this
  // machine.
  const token = randomUUID();
  const tokenFile = path.join(dataFolder, 'token');
  await writeFile(tokenFile, token, { mode: 0o600 });
  const marker: Marker = { name: 'AGENT_HARBOR_STARTED_BY', value: randomUUID() };
  const child = spawn(
    process.execPath,
    [
      serverMain,
      ...(options.automation ? ['--enable-smoke-test-driver'] : []),
      ...['--connection-token-file', tokenFile],
      '--accept-server-license-terms',
      ...['--host', '127.0.0.1', '--port', String(options.port ?? 0)],
      ...['--telemetry-level', 'off'],
      ...['--user-data-dir', user],
      ...['--extensions-dir', path.join(dataFolder, 'extensions')],
      ...['--server-data-dir', path.join(dataFolder, 'server')],
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Ctrl-C in a terminal reaches this process only, which then ends the other one with all that it started.
      detached: process.platform !== 'win32',
      windowsHide: true,
      env: {
        ...process.env,
        ...noGallery,
        AGENT_HARBOR_DATA_DIR: harborDataDir,
        ...options.env,
        [marker.name]: marker.value,
      },
    },
  );
  const { pid } = child;
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  if (pid === undefined) throw new Error(`Node could not be started: ${process.execPath}`);

  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const killNow = (): void => {
    killTreeNow([pid], marker);
    rmSync(dataFolder, { recursive: true, force: true });
  };
  process.once('exit', killNow);
  const stop = async (): Promise<void> => {
    // The extension starts its server detached, so that it outlives VS Code.
    const harbor = await readServerFile(harborDataDir);
    await endProcessTree(harbor ? [pid, harbor.pid] : [pid], marker);
    process.off('exit', killNow);
    await rm(dataFolder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };

  try {
    const port = await listeningPort(child, () => output);
    const origin = `http://127.0.0.1:${port}`;
    await answers(origin);
    return {
      origin,
      pid,
      dataFolder,
      harborDataDir,
      output: () => output,
      exited,
      workbenchUrl: (address) => workbenchUrl(origin, token, address),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Tells VS Code that extensions are installed, by the list it keeps of them. It names their own folders, so that
 * nothing is copied or linked, and a build shows after a reload of the window.
 */
async function addToExtensionsList(folder: string, extensions: readonly string[]): Promise<void> {
  const list = extensions.map(async (extension) => {
    const manifest: unknown = JSON.parse(await readFile(path.join(extension, 'package.json'), 'utf8'));
    const { publisher, name, version } = manifestSchema.parse(manifest);
    const location = { $mid: 1, scheme: 'file', path: uriPath(extension) };
    return { identifier: { id: `${publisher}.${name}` }, version, location, metadata: {} };
  });
  const file = path.join(folder, 'extensions.json');
  const installed = await readFile(file, 'utf8').then(
    (text) => z.array(z.unknown()).parse(JSON.parse(text)),
    () => [],
  );
  await writeFile(file, JSON.stringify([...installed, ...(await Promise.all(list))]));
}

/** Has VS Code install a package with its own command line. */
async function installVsix(serverMain: string, dataFolder: string, vsix: string): Promise<void> {
  await promisify(execFile)(
    process.execPath,
    [
      serverMain,
      ...['--install-extension', vsix, '--force', '--accept-server-license-terms'],
      ...['--user-data-dir', path.join(dataFolder, 'user')],
      ...['--extensions-dir', path.join(dataFolder, 'extensions')],
      ...['--server-data-dir', path.join(dataFolder, 'server')],
    ],
    { env: { ...process.env, ...noGallery }, timeout: startTimeoutMs },
  );
}

/**
 * With `--port 0`, the system chooses the port, so that servers never compete for one; the server reports it.
 */
function listeningPort(child: ChildProcess, output: () => string): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (what: string) => (): void => {
      clearTimeout(timer);
      reject(new Error(`VS Code's server ${what}. It printed:\n${output().slice(-4000)}`));
    };
    const timer = setTimeout(fail(`did not start within ${startTimeoutMs / 1000} s`), startTimeoutMs);
    child.once('error', fail('could not be started'));
    child.once('exit', fail('ended at once'));
    child.stdout?.on('data', () => {
      const port = /Extension host agent listening on (\d+)/.exec(output())?.[1];
      if (!port) return;
      clearTimeout(timer);
      resolve(Number(port));
    });
  });
}

async function answers(origin: string): Promise<void> {
  const response = await fetch(`${origin}/version`, { signal: AbortSignal.timeout(startTimeoutMs) });
  if (!response.ok) throw new Error(`VS Code's server answered ${response.status} to ${origin}/version`);
}
