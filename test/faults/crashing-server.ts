import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { processTree } from '../support/process-tree.ts';
import { nodeRuntime } from '../support/runtime/node-bundle.ts';

const Opened = z.looseObject({ deployment_url: z.string(), platform_url: z.string(), api_key: z.string() });

/** A server in a process of its own, which can be killed as hard as the operating system can. */
export class CrashingServer {
  readonly url: string;
  readonly platformUrl: string;
  readonly apiKey: string;
  /** Resolves when the process has gone. */
  readonly gone: Promise<unknown>;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, opened: z.output<typeof Opened>) {
    this.#child = child;
    this.url = opened.deployment_url;
    this.platformUrl = opened.platform_url;
    this.apiKey = opened.api_key;
    this.gone =
      child.exitCode === null && child.signalCode === null ? once(child, 'exit') : Promise.resolve();
  }

  /** @returns undefined when it died before it could say where it is. */
  static async start(dataDir: string, project: string, point = ''): Promise<CrashingServer | undefined> {
    const entry = path.join(import.meta.dirname, 'crash-server.ts');
    const config = path.join(project, 'langgraph.json');
    const child = spawn(process.execPath, [entry, dataDir, config, await nodeRuntime(), point], {
      stdio: ['pipe', 'pipe', 'inherit'],
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

  /** Kills the processes that run the user's graphs. */
  killRuntimes(): void {
    const own = this.#child.pid;
    if (own === undefined) return;
    for (const pid of processTree([own])) {
      if (pid !== own) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It had gone already.
        }
      }
    }
  }

  async end(): Promise<void> {
    this.kill();
    await this.gone;
  }
}
