import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { installOnce, npm } from './cache.ts';
import { endProcessTree, killTreeNow, type Marker } from './process-tree.ts';

/** VS Code with its Node extension host, as the npm package `code-server` carries it: 4.x.y holds VS Code 1.x.y. */
const codeServerVersion = '4.139.1';
export const vscodeVersion = '1.139.1';
const startTimeoutMs = 60_000;

/** Settings of VS Code, as in `settings.json`. */
export type Settings = Readonly<Record<string, unknown>>;

/** A quiet workbench: nothing greets, asks, phones home or covers what is being looked at. */
export const quietSettings: Settings = {
  'workbench.startupEditor': 'none',
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'workbench.tips.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.enableExperiments': false,
  'workbench.settings.enableNaturalLanguageSearch': false,
  'workbench.reduceMotion': 'on',
  'workbench.colorTheme': 'Dark 2026',
  'window.autoDetectColorScheme': false,
  'window.commandCenter': false,
  'workbench.hover.delay': 60_000,
  'window.confirmBeforeClose': 'never',
  'chat.disableAIFeatures': true,
  'chat.commandCenter.enabled': false,
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'update.showReleaseNotes': false,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'files.simpleDialog.enable': true,
  'git.openRepositoryInParentFolders': 'never',
  'git.autofetch': false,
  'remote.autoForwardPorts': false,
  // Draws the terminal as text in the page, where tests can read it.
  'terminal.integrated.gpuAcceleration': 'off',
  'typescript.disableAutomaticTypeAcquisition': true,
};

export interface VsCodeServerOptions {
  /** Added to, and winning over, {@link quietSettings}. */
  readonly settings?: Settings;
  /** Folders of built extensions to have installed; they are used where they are, not copied. */
  readonly extensions?: readonly string[];
  /**
   * Honours `extensionDevelopmentPath` and `extensionTestsPath`. VS Code then takes itself for driven by its own
   * smoke tests and, among other things, shows no notification toasts: not what a user sees.
   */
  readonly automation?: boolean;
  /** Added to the environment of the server, and so of the extension host and its terminals. */
  readonly env?: Readonly<Record<string, string>>;
}

/** No extension marketplace: nothing is looked up or updated there. */
const noGallery = { EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: '' }) };

/** A manifest of an extension, as far as VS Code's list of extensions needs it. */
const manifestSchema = z.object({ publisher: z.string(), name: z.string(), version: z.string() });

export interface WorkbenchAddress {
  /** A folder or a `.code-workspace` file; an empty window without it. */
  readonly folder?: string | undefined;
  /** An extension to load from its source folder; with `automation` only. */
  readonly extensionDevelopmentPath?: string | undefined;
  /** A module that exports `run(): Promise<void>`, run inside the extension host; with `automation` only. */
  readonly extensionTestsPath?: string | undefined;
}

export interface VsCodeServer {
  readonly origin: string;
  readonly pid: number;
  /** Holds the folders `user`, `extensions` and `server` of this VS Code; gone after `stop`. */
  readonly dataFolder: string;
  /** Everything it has printed so far. */
  output(): string;
  /** The address that opens a workbench in a browser. */
  workbenchUrl(address: WorkbenchAddress): string;
  /** Ends it with everything it started, and removes its folders. */
  stop(): Promise<void>;
}

export interface VsCodeInstallation {
  readonly serverMain: string;
  /** `works`, or why the integrated terminal does not on this machine. */
  readonly terminal: string;
}

/** Fetches VS Code into the cache on first use (some 600 MB, under half a minute), see `docs/contributing`. */
export async function installVsCode(): Promise<VsCodeInstallation> {
  const { folder, stamp } = await installOnce({
    name: 'code-server',
    versions: { 'code-server': codeServerVersion },
    install: async (target) => {
      await writeFile(path.join(target, 'package.json'), '{ "private": true }\n');
      // Its install scripts compile native modules that nothing here needs.
      await npm(
        ['install', '--ignore-scripts', '--no-package-lock', `code-server@${codeServerVersion}`],
        target,
      );
      const vscode = vscodeFolder(target);
      await npm(['install', '--omit=dev', '--ignore-scripts', '--no-package-lock'], vscode);
      return { terminal: await prepareTerminal(vscode) };
    },
  });
  return {
    serverMain: path.join(vscodeFolder(folder), 'out', 'server-main.js'),
    terminal: stamp.notes.terminal ?? 'unknown',
  };
}

function vscodeFolder(installation: string): string {
  return path.join(installation, 'node_modules', 'code-server', 'lib', 'vscode');
}

/** The terminal needs node-pty's native module: shipped for the usual platforms, else compiled if that works. */
async function prepareTerminal(vscode: string): Promise<string> {
  const load = async (): Promise<void> => {
    const require = createRequire(pathToFileURL(path.join(vscode, 'package.json')));
    require('node-pty');
  };
  try {
    await load();
    return 'works';
  } catch {
    try {
      await npm(['rebuild', 'node-pty', '--ignore-scripts=false'], vscode);
      await load();
      return 'works';
    } catch (error) {
      return `no terminal: node-pty could not be built: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}

/**
 * Starts a VS Code of its own (own settings, extensions and state) on a free loopback port.
 *
 * @throws an Error with what it printed when it ends or says nothing for a minute
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

  await writeExtensionsList(path.join(dataFolder, 'extensions'), options.extensions ?? []);

  const marker: Marker = { name: 'AGENT_HARBOR_STARTED_BY', value: randomUUID() };
  const child = spawn(
    process.execPath,
    [
      serverMain,
      ...(options.automation ? ['--enable-smoke-test-driver'] : []),
      '--without-connection-token',
      '--accept-server-license-terms',
      ...['--host', '127.0.0.1', '--port', '0'],
      ...['--telemetry-level', 'off'],
      ...['--user-data-dir', user],
      ...['--extensions-dir', path.join(dataFolder, 'extensions')],
      ...['--server-data-dir', path.join(dataFolder, 'server')],
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...noGallery,
        // Never the server and the data of whoever runs the tests.
        AGENT_HARBOR_DATA_DIR: path.join(dataFolder, 'harbor'),
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

  const killNow = (): void => killTreeNow(pid, marker);
  process.once('exit', killNow);
  const stop = async (): Promise<void> => {
    await endProcessTree(pid, marker);
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
      output: () => output,
      workbenchUrl: (address) => workbenchUrl(origin, address),
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
async function writeExtensionsList(folder: string, extensions: readonly string[]): Promise<void> {
  const list = extensions.map(async (extension) => {
    const manifest: unknown = JSON.parse(await readFile(path.join(extension, 'package.json'), 'utf8'));
    const { publisher, name, version } = manifestSchema.parse(manifest);
    const location = { $mid: 1, scheme: 'file', path: pathToFileURL(extension).pathname };
    return { identifier: { id: `${publisher}.${name}` }, version, location, metadata: {} };
  });
  await mkdir(folder);
  await writeFile(path.join(folder, 'extensions.json'), JSON.stringify(await Promise.all(list)));
}

/** With `--port 0` the system chooses, so that no two servers ever race for a port; the server says which. */
function listeningPort(child: ChildProcess, output: () => string): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (what: string) => (): void => {
      clearTimeout(timer);
      reject(new Error(`VS Code's server ${what}. It printed:\n${output().slice(-4000)}`));
    };
    const timer = setTimeout(fail('did not start within a minute'), startTimeoutMs);
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

function workbenchUrl(origin: string, address: WorkbenchAddress): string {
  const url = new URL(origin);
  if (address.folder) {
    const kind = address.folder.endsWith('.code-workspace') ? 'workspace' : 'folder';
    url.searchParams.set(kind, pathToFileURL(address.folder).pathname);
  }
  const remote = (file: string): string => `vscode-remote://${url.host}${pathToFileURL(file).pathname}`;
  const payload: [string, string][] = [['skipWelcome', 'true']];
  if (address.extensionDevelopmentPath) {
    payload.push(['extensionDevelopmentPath', remote(address.extensionDevelopmentPath)]);
  }
  if (address.extensionTestsPath) payload.push(['extensionTestsPath', remote(address.extensionTestsPath)]);
  url.searchParams.set('payload', JSON.stringify(payload));
  return url.href;
}
