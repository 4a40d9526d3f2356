import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { bundlePrograms } from '../support/bundled-programs.ts';
import { processTree } from '../support/process-tree.ts';
import { nodeRuntime, pythonRuntime } from '../support/runtime/node-bundle.ts';
import type { CrashPoint, CrashServerOptions } from './crash-server.ts';

/** The ways to tell a server to stop, or to stop serving its agent. */
export const stops = ['SIGTERM', 'SIGHUP', 'SIGINT', 'request', 'close'] as const;
export type Stop = (typeof stops)[number];

const Opened = z.looseObject({
  deployment_id: z.string(),
  deployment_url: z.string(),
  platform_url: z.string(),
  api_key: z.string(),
});

let bundles: ReturnType<typeof bundlePrograms<'crash-server' | 'traces-worker'>> | undefined;

/** A server in a separate process, which the operating system can kill outright. */
export class CrashingServer {
  readonly url: string;
  readonly platformUrl: string;
  readonly apiKey: string;
  readonly #deploymentId: string;
  /** Resolves when the process has gone. */
  readonly gone: Promise<unknown>;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, opened: z.output<typeof Opened>) {
    this.#child = child;
    this.url = opened.deployment_url;
    this.platformUrl = opened.platform_url;
    this.apiKey = opened.api_key;
    this.#deploymentId = opened.deployment_id;
    this.gone =
      child.exitCode === null && child.signalCode === null ? once(child, 'exit') : Promise.resolve();
  }

  /** Starts a server. @returns undefined when it died before it announced its address. */
  static async start(
    dataDir: string,
    project: string,
    point?: CrashPoint,
  ): Promise<CrashingServer | undefined> {
    bundles ??= bundlePrograms({
      'crash-server': 'test/faults/crash-server.ts',
      'traces-worker': 'src/server/traces-worker.ts',
    });
    const bundleOf = await bundles;
    const options: CrashServerOptions = {
      dataDir,
      configPath: path.join(project, 'langgraph.json'),
      point,
      nodeRuntime: await nodeRuntime(),
      pythonRuntime,
      tracesWorker: bundleOf('traces-worker'),
    };
    const child = spawn(process.execPath, [bundleOf('crash-server'), JSON.stringify(options)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      // Generous, because a busy machine is slow, and speed does not matter here.
      env: { ...process.env, AGENT_HARBOR_LOAD_SECONDS: '600' },
    });
    const lines = createInterface({ input: child.stdout });
    const line = await Promise.race([
      once(lines, 'line').then(([first]) => String(first)),
      once(child, 'exit').then(() => undefined),
    ]);
    if (line === undefined) return undefined;
    return new CrashingServer(child, Opened.parse(JSON.parse(line)));
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Tells it to stop. */
  async stop(how: Stop): Promise<void> {
    if (how === 'close') await this.#post(`/harbor/workspaces/${this.#deploymentId}/close`, {});
    if (how === 'request' || how === 'close') await this.#post('/harbor/shutdown', { when: 'now' });
    else this.#child.kill(how);
  }

  async #post(route: string, body: object): Promise<void> {
    await fetch(`${this.platformUrl}${route}`, {
      method: 'POST',
      headers: { 'x-api-key': this.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** Kills the processes that run the user's graphs. */
  killRuntimes(): void {
    const own = this.#child.pid;
    if (own === undefined) return;
    for (const pid of processTree([own])) {
      if (pid !== own) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // The process has already ended.
        }
      }
    }
  }

  async end(): Promise<void> {
    this.kill();
    await this.gone;
  }
}
