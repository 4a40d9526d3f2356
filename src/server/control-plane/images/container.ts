import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { z } from 'zod';
import type { ContainerTool } from '../../../containers/container-tool.ts';
import { writeEnvironmentFile } from '../../../containers/environment-file.ts';
import type { ImageDetails } from '../../../containers/image-details.ts';
import { removalOf } from '../../../containers/remove-containers.ts';
import { type ResourceLimits, runArguments } from '../../../containers/run-arguments.ts';
import { plainLine } from '../../../containers/server-line.ts';
import { jsonOrUndefined } from '../../../process/json-or-undefined.ts';
import { pickVariables } from '../../../process/pick-variables.ts';
import type { LogBook } from '../../runtimes/output/log-book.ts';
import { levelOf } from '../../runtimes/output/output-level.ts';
import { RollOutError } from '../../runtimes/process/runtime-errors.ts';
import { CommandError, type CommandRunner } from '../builds/command-runner.ts';

import { waitUntilHealthy } from './container-health.ts';
import { findFreePort } from './free-port.ts';
import type { ServingContainer } from './serving-container.ts';

/** How long a container may take to stop before the tool kills it. */
const STOP_SECONDS = 10;
/** How long the tool's commands to stop and remove a container may take. */
const STOP_TIMEOUT_MS = 30_000;
/** The number of output lines that are shown with the reason for a failure. */
const TAIL_LINES = 15;
/** The exit code of `run` when the tool could not start a container. */
const NOT_STARTED = 125;
/** The exit code of a container that was killed: 128 + SIGKILL. */
const KILLED = 137;
/**
 * The variable for the key that images made by `agent-harbor build` require from callers, so that other machines on the
 * network cannot call them.
 */
const KEY_VARIABLE = 'AGENT_HARBOR_API_KEY';

/** The revision of a deployment to start in a container. */
export interface ImageLaunch {
  readonly image: ImageDetails;
  /** The image's name, for messages. */
  readonly reference: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: ResourceLimits;
}

export interface ContainerOptions {
  readonly launch: ImageLaunch;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The names of volumes, by folder; other volumes are new, and removed with the container. */
  readonly volumes: Readonly<Record<string, string>>;
  readonly tool: ContainerTool;
  readonly runner: CommandRunner;
  /** A private folder for files that only the tool reads. */
  readonly folder: string;
  readonly log: LogBook;
  /** How long the container's server may take to respond. */
  readonly startTimeoutMs: number;
}

/** The part of `container inspect` that is needed. */
const Inspected = z.tuple([z.looseObject({ State: z.looseObject({ OOMKilled: z.boolean().nullish() }) })]);

/** A running container whose server responds. */
export class Container implements ServingContainer {
  readonly #options: ContainerOptions;
  readonly #end: () => void;
  /** The port on 127.0.0.1 that is forwarded to its server. */
  readonly port: number;
  /** The key that its server requires. */
  readonly key: string;
  /** Resolves when the container has ended, with a sentence about how, and the last lines of its output. */
  readonly exited: Promise<string>;
  #open = 0;
  #idleSince = performance.now();
  #stopping: Promise<void> | undefined;

  private constructor(
    options: ContainerOptions,
    made: { port: number; key: string; exited: Promise<string>; end: () => void },
  ) {
    this.#options = options;
    this.port = made.port;
    this.key = made.key;
    this.exited = made.exited;
    this.#end = made.end;
  }

  /**
   * Starts a container, and waits until its server answers.
   * @throws RollOutError with the reason and the last lines of its output; the signal's reason when aborted.
   */
  static async start(options: ContainerOptions, signal: AbortSignal): Promise<Container> {
    const { launch, tool, runner, folder, name, log, startTimeoutMs } = options;
    signal.throwIfAborted();
    const port = await findFreePort();
    const inside = tool.usesHostNetwork ? port : launch.image.port;
    const key = randomBytes(24).toString('base64url');
    const file = await writeEnvironmentFile(folder, name, {
      ...launch.environment,
      PORT: String(inside),
      [KEY_VARIABLE]: key,
    });
    const controller = new AbortController();
    const said: string[] = [];
    const ended = runner.run({
      command: tool.program,
      args: runArguments(tool, {
        name,
        imageId: launch.image.id,
        labels: options.labels,
        environmentFile: file.path,
        environmentNames: Object.keys(file.others),
        volumes: options.volumes,
        limits: launch.limits,
        ports: { host: port, container: inside },
      }),
      cwd: tmpdir(),
      env: { ...pickVariables(tool.environment), ...file.others },
      // The tool itself does not end a container that ignores signals.
      cleanup: removalOf(tool, name),
      keepsOutput: false,
      signal: controller.signal,
      onLine: (line) => {
        log.write(levelOf(line), line);
        said.push(line);
        if (said.length > TAIL_LINES) said.shift();
      },
    });
    const exited = ended.then(
      () => ({ code: 0, tail: [] }),
      (error: unknown) =>
        error instanceof CommandError
          ? { code: error.code, tail: error.tail }
          : { code: undefined, tail: [] },
    );
    const container = new Container(options, {
      port,
      key,
      exited: exited.then(({ code, tail }) => container.#explain(code, tail)),
      end: () => controller.abort(),
    });
    try {
      const over = new AbortController();
      const trouble = await Promise.race([
        container.exited,
        waitUntilHealthy(port, startTimeoutMs, AbortSignal.any([signal, over.signal])).then((problem) =>
          problem === undefined
            ? undefined
            : `${container.#explainNoHealth(inside, problem)}${withTail(said)}`,
        ),
      ]).finally(() => over.abort());
      if (trouble !== undefined) {
        // The other lines are the container's last output, which is already in the log.
        log.write('ERROR', trouble.split('\n', 1)[0] ?? trouble);
        throw new RollOutError(trouble, { isLogged: true });
      }
      return container;
    } catch (error) {
      await container.stop();
      signal.throwIfAborted();
      throw error;
    } finally {
      await file.remove();
    }
  }

  /** Whether requests are in progress. */
  get isBusy(): boolean {
    return this.#open > 0;
  }

  /** Milliseconds since the last request ended; 0 while there is one. */
  get idleMs(): number {
    return this.isBusy ? 0 : performance.now() - this.#idleSince;
  }

  /**
   * Counts a request that is sent to the container.
   * @returns a function to call when the request has ended.
   */
  take(): () => void {
    this.#open++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#open--;
      this.#idleSince = performance.now();
    };
  }

  /** Stops the container, by force if necessary, and removes it. Its named volumes stay. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    const { tool, name, log } = this.#options;
    const quietly = { timeoutMs: STOP_TIMEOUT_MS };
    const warn = (done: string) => (error: unknown) => {
      if (!/no such container|no container with/i.test(String(error)))
        log.write('WARNING', `Container ${name} could not be ${done}: ${String(error)}`);
    };
    await tool.ask(['stop', '-t', String(STOP_SECONDS), name], quietly).catch(warn('stopped'));
    this.#end();
    await this.exited;
    await tool.ask(['rm', '--force', '--volumes', name], quietly).catch(warn('removed'));
  }

  /** Why a container ended unexpectedly. */
  async #explain(code: number | undefined, tail: readonly string[]): Promise<string> {
    const { tool, name, launch } = this.#options;
    if (this.#stopping !== undefined) return 'The container was stopped.';
    if (code === NOT_STARTED) {
      const said = tail.filter((line) => !/level=warning/.test(line));
      return `${tool.title} could not start a container of ${launch.reference}.${withTail(said)}`;
    }
    const { memoryMb } = launch.limits;
    // A container that has been removed cannot be inspected, so only its exit code is known.
    const state = await tool.ask(['container', 'inspect', name]).catch(() => '');
    const isOutOfMemory = wasOutOfMemory(state);
    if (isOutOfMemory || (code === KILLED && memoryMb !== undefined)) {
      const limit =
        memoryMb === undefined
          ? ''
          : ` It may use ${memoryMb} MB: raise memory_limit_mb in resource_spec (agent-harbor deploy --memory).`;
      const sure = isOutOfMemory
        ? 'was ended because it was out of memory'
        : 'was killed, most likely because it was out of memory';
      return `The container of ${launch.reference} ${sure} (exit code ${code ?? KILLED}).${limit}${withTail(tail)}`;
    }
    return `The container of ${launch.reference} exited with code ${code ?? 'unknown'}.${withTail(tail)}`;
  }

  /** @param inside the port of the server in the container. @param problem a clause about its last response. */
  #explainNoHealth(inside: number, problem: string): string {
    const { launch, startTimeoutMs } = this.#options;
    return `The container of ${launch.reference} runs, but its server was not ready within ${startTimeoutMs / 1_000} s: ${problem} from GET /ok on port ${inside}. The server must listen on the port in the variable PORT.`;
  }
}

function wasOutOfMemory(inspected: string): boolean {
  const read = Inspected.safeParse(jsonOrUndefined(inspected));
  return read.success && read.data[0].State.OOMKilled === true;
}

function withTail(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\n${lines.map(plainLine).join('\n')}`;
}
