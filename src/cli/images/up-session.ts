import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type ContainerTool, findContainerTool } from '../../containers/container-tool.ts';
import { type EnvironmentFile, writeEnvironmentFile } from '../../containers/environment-file.ts';
import { findImage, type ImageDetails } from '../../containers/image-details.ts';
import { runArguments } from '../../containers/run-arguments.ts';
import { readServerLine } from '../../containers/server-line.ts';
import { jsonOrUndefined } from '../../process/json-or-undefined.ts';
import { pause } from '../../process/pause.ts';
import { settled } from '../../process/settled.ts';
import { readText } from '../../project/read-text.ts';
import { findSecrets, readSecrets } from '../../project/secrets.ts';
import { containerLine } from '../render/container-line.ts';
import type { ProgramOptions } from '../terminal/context.ts';
import { Failure } from '../terminal/failure.ts';
import { buildFrom } from './build-from.ts';
import { findFreePort } from './free-port.ts';
import type { BuildOptions } from './image-options.ts';

const POLL_MS = 100;
/** The time between attempts to stop a container that may not exist yet. */
const STOP_AGAIN_MS = 500;
/** How long the server in the container may take to store the state of its runs. */
const STOP_SECONDS = 30;
const KEY = 'AGENT_HARBOR_API_KEY';

const Config = z.looseObject({ graphs: z.record(z.string(), z.unknown()) });

interface UpOptions extends BuildOptions {
  /** The real path of a langgraph.json. */
  readonly configPath: string;
  /** 0 for any free port. */
  readonly port: number;
  /** An existing image to run, instead of building one. */
  readonly image?: string | undefined;
  /** An env file instead of the project's. */
  readonly env?: string | undefined;
}

/**
 * The options for starting the container tool. The tool is detached, so that Ctrl-C in the terminal reaches
 * only this command, which stops the container itself. It is not detached on Windows, where it would have no
 * console and would outlive this command.
 */
export function containerProcessOn(platform: NodeJS.Platform): {
  readonly detached: boolean;
  readonly windowsHide: boolean;
} {
  return { detached: platform !== 'win32', windowsHide: true };
}

/** The container to run. */
interface ToRun {
  readonly image: ImageDetails;
  readonly port: number;
  /** The file with its variables. */
  readonly file: EnvironmentFile;
  readonly key: string | undefined;
}

/** `agent-harbor up`: builds a project's image, and runs it in a container until the command ends. */
export class UpSession {
  readonly #program: ProgramOptions;
  readonly #options: UpOptions;
  /**
   * The name of the container and its volumes. It is derived from the path of langgraph.json, so that data is
   * found again.
   */
  readonly #name: string;

  constructor(program: ProgramOptions, options: UpOptions) {
    this.#program = program;
    this.#options = options;
    const project = basename(dirname(options.configPath))
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '');
    const place = createHash('sha256').update(options.configPath).digest('hex').slice(0, 8);
    this.#name = `agent-harbor-${project}-${place}`;
  }

  /** @throws Failure when the container ends by itself; NoContainerToolError, BuildError, ImageBuildError */
  async run(): Promise<void> {
    const { interrupted, environment } = this.#program;
    const tool = await findContainerTool(environment);
    await this.#assertNotRunning(tool);
    const image = await this.#findOrBuildImage(tool);
    const port = this.#options.port === 0 ? await findFreePort() : this.#options.port;
    const values = await this.#readVariables(tool, image, port);
    // Another command may have started the container while the image was built.
    await this.#assertNotRunning(tool);
    // A command that was killed leaves its container behind.
    await this.#remove(tool);
    if (interrupted.aborted) return;
    const folder = await mkdtemp(join(tmpdir(), 'agent-harbor-up-'));
    try {
      const file = await writeEnvironmentFile(folder, this.#name, values);
      await this.#untilEnded(tool, { image, port, file, key: values[KEY] });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Runs the container until it is stopped. @throws Failure when it ends by itself */
  async #untilEnded(tool: ContainerTool, { image, port, file, key }: ToRun): Promise<void> {
    const { terminal, interrupted } = this.#program;
    const child = this.#start(tool, image, port, file);
    const ended = once(child, 'close').then(([code]): unknown => code);
    for (const stream of [child.stdout, child.stderr]) this.#show(stream);
    try {
      const url = `http://127.0.0.1:${port}`;
      await this.#untilHealthy(url, child);
      if (!interrupted.aborted) await this.#announce(tool, url, key);
      const stopped = new Promise<undefined>((resolve) => {
        if (interrupted.aborted) resolve(undefined);
        else interrupted.addEventListener('abort', () => resolve(undefined), { once: true });
      });
      await Promise.race([stopped, ended]);
      if (!interrupted.aborted) throw this.#endedEarly(await ended);
      terminal.note('Stopping…');
    } finally {
      await this.#untilStopped(tool, child, ended);
      await this.#remove(tool);
    }
  }

  async #findOrBuildImage(tool: ContainerTool): Promise<ImageDetails> {
    const { image, configPath } = this.#options;
    const tag = image ?? this.#name;
    if (image === undefined)
      await buildFrom(this.#program, { tool, configPath, tag, options: this.#options });
    const found = await findImage(tool, tag);
    if (found === undefined)
      throw new Failure(
        `There is no image ${tag} on this machine. Build it with agent-harbor build --tag ${tag}.`,
      );
    return found;
  }

  /** The variables of the container: those of the env file, and the key and port of its server. */
  async #readVariables(
    tool: ContainerTool,
    image: ImageDetails,
    port: number,
  ): Promise<Readonly<Record<string, string>>> {
    const { env, configPath } = this.#options;
    const found = env === undefined ? await findSecrets(configPath) : await readSecrets(env);
    const secrets = Object.fromEntries((found?.secrets ?? []).map(({ name, value }) => [name, value]));
    const key = this.#program.environment[KEY] || `ah_${randomBytes(24).toString('base64url')}`;
    return { ...secrets, [KEY]: key, PORT: String(tool.usesHostNetwork ? port : image.port) };
  }

  #start(
    tool: ContainerTool,
    image: ImageDetails,
    port: number,
    { path: environmentFile, others }: EnvironmentFile,
  ): ChildProcess & { stdout: Readable; stderr: Readable } {
    const args = runArguments(tool, {
      name: this.#name,
      imageId: image.id,
      labels: { 'dev.agent-harbor.up': this.#options.configPath },
      environmentFile,
      environmentNames: Object.keys(others),
      volumes: Object.fromEntries(image.volumes.map((folder) => [folder, this.#volumeOf(folder)])),
      limits: {},
      ports: { host: port, container: image.port },
    });
    return spawn(tool.program, args, {
      env: { ...tool.environment, ...others },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...containerProcessOn(process.platform),
    });
  }

  #volumeOf(folder: string): string {
    return `${this.#name}${folder.replaceAll(/[^a-zA-Z0-9]+/g, '-')}`;
  }

  /** Waits until the server answers, or the command is interrupted. @throws Failure when the container ends */
  async #untilHealthy(url: string, child: ChildProcess): Promise<void> {
    const { interrupted } = this.#program;
    while (!interrupted.aborted) {
      if (child.exitCode !== null || child.signalCode !== null) throw this.#endedEarly(child.exitCode);
      const isOk = await fetch(`${url}/ok`, { signal: AbortSignal.timeout(5_000) }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isOk) return;
      await pause(POLL_MS, { signal: interrupted });
    }
  }

  async #announce(tool: ContainerTool, url: string, key: string | undefined): Promise<void> {
    const { terminal } = this.#program;
    const graph = await readFirstGraph(this.#options.configPath);
    const { dim, bold } = terminal.colors;
    terminal.line(`${dim('Agent        ')} ${bold(url)}`);
    terminal.line(`${dim('API key      ')} ${key}`);
    terminal.line(`${dim('Data         ')} volume ${this.#volumeOf('/data')}, of ${tool.title}`);
    terminal.line(dim('In another terminal:'));
    terminal.line(`  agent-harbor run ${graph} "hello" --deployment ${url} --header "x-api-key: ${key}"`);
    terminal.line(dim('Press Ctrl-C to stop.'));
  }

  #show(stream: Readable): void {
    const { terminal } = this.#program;
    createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
      // The log names the address inside the container; #announce prints the one on this machine.
      if (readServerLine(line)?.text.startsWith('ready ') === true) return;
      terminal.note(containerLine(line, terminal.errorColors));
    });
  }

  #endedEarly(code: unknown): Failure {
    return new Failure(
      `The container ended with exit code ${String(code)}. See its last lines for the reason.`,
    );
  }

  /**
   * Stops the container unless it has ended by itself, because another container may have its name by then.
   */
  async #untilStopped(tool: ContainerTool, child: ChildProcess, ended: Promise<unknown>): Promise<void> {
    const end = settled(ended);
    while (child.exitCode === null && child.signalCode === null) {
      // The command is repeated, because the container may not have existed the first time.
      await tool.ask(['stop', '-t', String(STOP_SECONDS), this.#name], { timeoutMs: 60_000 }).catch(() => {});
      await Promise.race([end, sleep(STOP_AGAIN_MS)]);
    }
    await end;
  }

  /** @throws Failure */
  async #assertNotRunning(tool: ContainerTool): Promise<void> {
    const question = ['container', 'inspect', '--format', '{{.State.Running}}', this.#name] as const;
    // The query fails when there is no such container. Other problems are reported when the container is
    // started.
    const isRunning = await tool.ask(question).catch(() => 'false');
    if (isRunning.trim() !== 'true') return;
    throw new Failure(
      `This project is already running, in the container ${this.#name}. Press Ctrl-C where it was started, or end it with ${tool.name} stop ${this.#name}.`,
    );
  }

  /** Removes the container, unless it is running and so belongs to another command. */
  async #remove(tool: ContainerTool): Promise<void> {
    // The command fails if there is no such container, or if it is running.
    await tool.ask(['rm', this.#name]).catch(() => {});
  }
}

/** The name of the first graph in langgraph.json, for an example; a placeholder if it cannot be read. */
async function readFirstGraph(configPath: string): Promise<string> {
  const { data } = Config.safeParse(jsonOrUndefined(await readText(configPath)));
  const [name = ''] = Object.keys(data?.graphs ?? {});
  return /^[\w.-]+$/.test(name) ? name : '<graph>';
}
