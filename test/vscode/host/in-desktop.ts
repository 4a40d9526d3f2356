import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { downloadAndUnzipVSCode, SilentReporter } from '@vscode/test-electron';
import { cacheFolder } from '../../support/cache.ts';
import { endProcessTree, killTreeNow } from '../../support/process-tree.ts';
import { vscodeVersion } from '../../support/vscode-install.ts';
import { quietSettings } from '../../support/vscode-settings.ts';
import { patience } from '../../support/wait.ts';
import type { HostEnd, HostRunOptions, Suite } from './host-run.ts';

const defaultTimeoutMs = 5 * 60_000 * patience;

/**
 * Runs a suite in desktop VS Code: the executable in `VSCODE_PATH`, else one that is downloaded into the cache. Where
 * there is neither, it skips the suite and says why.
 */
export async function inDesktop(options: HostRunOptions, suite: Suite): Promise<HostEnd> {
  const { DISPLAY, WAYLAND_DISPLAY, VSCODE_PATH } = process.env;
  if (process.platform === 'linux' && !DISPLAY && !WAYLAND_DISPLAY) {
    return { kind: 'skipped', reason: 'desktop VS Code needs a display, and there is none (try xvfb-run)' };
  }
  let executable: string;
  try {
    executable = VSCODE_PATH || (await download());
  } catch (error) {
    const cause = error instanceof Error ? error.message.split('\n')[0] : String(error);
    return { kind: 'skipped', reason: `desktop VS Code could not be downloaded (${cause})` };
  }

  const data = await mkdtemp(path.join(tmpdir(), 'agent-harbor-desktop-'));
  try {
    return { kind: 'ended', log: await run(executable, data, options, suite) };
  } finally {
    await rm(data, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

async function download(): Promise<string> {
  return downloadAndUnzipVSCode({
    version: vscodeVersion,
    cachePath: path.join(cacheFolder(), 'vscode-desktop'),
    reporter: new SilentReporter(),
    timeout: 30_000,
  });
}

async function run(executable: string, data: string, options: HostRunOptions, suite: Suite): Promise<string> {
  const { extension, folder, settings = {}, env = {}, timeoutMs = defaultTimeoutMs } = options;
  const user = path.join(data, 'user');
  await mkdir(path.join(user, 'User'), { recursive: true });
  await writeFile(
    path.join(user, 'User', 'settings.json'),
    JSON.stringify({ ...quietSettings, ...settings }, null, 2),
  );
  const child = spawn(
    executable,
    [
      ...(folder ? [folder] : []),
      `--extensionDevelopmentPath=${extension}`,
      `--extensionTestsPath=${suite.file}`,
      `--user-data-dir=${user}`,
      `--extensions-dir=${path.join(data, 'extensions')}`,
      ...['--disable-updates', '--skip-welcome', '--skip-release-notes', '--disable-telemetry'],
      // Chromium's sandbox does not start for root, in containers and on CI machines.
      ...['--no-sandbox', '--disable-gpu-sandbox'],
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, AGENT_HARBOR_DATA_DIR: path.join(data, 'harbor'), ...env },
    },
  );
  const { pid } = child;
  if (pid === undefined) return `${executable} could not be started`;
  const killNow = (): void => killTreeNow([pid]);
  process.once('exit', killNow);

  const others: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      if (!suite.take(line)) others.push(line);
    });
  }
  let timer: NodeJS.Timeout | undefined;
  const how = await Promise.race([
    new Promise<string>((resolve) => child.once('close', (code) => resolve(`exit code ${code}`))),
    new Promise<string>((resolve) => child.once('error', (error) => resolve(error.message))),
    new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`not within ${timeoutMs / 1000} s`), timeoutMs);
    }),
  ]);
  clearTimeout(timer);
  await endProcessTree([pid]);
  process.off('exit', killNow);
  return [how, ...others.slice(-50)].join('\n');
}
