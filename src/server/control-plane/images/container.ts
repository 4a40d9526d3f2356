import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { z } from 'zod';
import type { ContainerTool } from '../../../containers/container-tool.ts';
import { type EnvironmentFile, writeEnvironmentFile } from '../../../containers/environment-file.ts';
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
/** The maximum number of output lines that are shown with the reason for a failure. */
const MAX_TAIL_LINES = 15;
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

/** The server of a container that is being started. */
interface StartingServer {
  /** The port on 127.0.0.1 that is forwarded to the server. */
  readonly port: number;
  /** The port on which the server listens in the container. */
  readonly portInside: number;
  /** The key that the server requires. */
  readonly key: string;
}

/** The exit code of a container, or of the tool's `run` command; undefined if it never started or was ended. */
type ExitCode = number | undefined;

/** The part of `container inspect` that is needed. */
const Inspected = z.tuple([z.looseObject({ State: z.looseObject({ OOMKilled: z.boolean().nullish() }) })]);

/** A running container whose server responds. */
export class Container implements ServingContainer {
  readonly #options: ContainerOptions;
  /** Ends the tool's `run` command. */
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
    server: StartingServer,
    command: {
      readonly ended: Promise<ExitCode>;
      /** The last lines of its output. */
      readonly output: readonly string[];
      readonly end: () => void;
    },
  ) {
    this.#options = options;
    this.port = server.port;
    this.key = server.key;
    this.exited = command.ended.then((code) => this.#explain(code, command.output));
    this.#end = command.end;
  }

  /**
   * Starts a container, and waits until its server answers.
   * @throws RollOutError with the reason and the last lines of its output; the signal's reason when aborted.
   */
  static async start(options: ContainerOptions, signal: AbortSignal): Promise<Container> {
    const { launch, tool, folder, name, log } = options;
    signal.throwIfAborted();
    const port = await findFreePort();
    const server = {
      port,
      portInside: tool.usesHostNetwork ? port : launch.image.port,
      key: randomBytes(24).toString('base64url'),
    };
    const file = await writeEnvironmentFile(folder, name, {
      ...launch.environment,
      PORT: String(server.portInside),
      [KEY_VARIABLE]: server.key,
    });
    const ending = new AbortController();
    const output: string[] = [];
    const onLine = (line: string) => {
      log.write(levelOf(line), line);
      output.push(line);
      if (output.length > MAX_TAIL_LINES) output.shift();
    };
    const ended = runContainer(options, { server, file, onLine }, ending.signal);
    const container = new Container(options, server, { ended, output, end: () => ending.abort() });
    try {
      const problem = await container.#waitUntilReady(server, output, signal);
      if (problem !== undefined) {
        // The other lines are the container's last output, which is already in the log.
        log.write('ERROR', problem.split('\n', 1)[0] ?? problem);
        throw new RollOutError(problem, { isLogged: true });
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

  /**
   * Waits until the server of the container answers.
   * @param output the last lines of the container's output, which grow while it runs.
   * @returns undefined, or why the server is not ready: a sentence, and the last lines of its output.
   * @throws the signal's reason when aborted.
   */
  async #waitUntilReady(
    { port, portInside }: StartingServer,
    output: readonly string[],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const over = new AbortController();
    const { startTimeoutMs } = this.#options;
    const healthy = waitUntilHealthy(port, startTimeoutMs, AbortSignal.any([signal, over.signal]));
    const ready = healthy.then((problem) =>
      problem === undefined ? undefined : `${this.#explainNoHealth(portInside, problem)}${withTail(output)}`,
    );
    return Promise.race([this.exited, ready]).finally(() => over.abort());
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
    const options = { timeoutMs: STOP_TIMEOUT_MS };
    const warn = (done: string) => (error: unknown) => {
      if (!/no such container|no container with/i.test(String(error)))
        log.write('WARNING', `Container ${name} could not be ${done}: ${String(error)}`);
    };
    await tool.ask(['stop', '-t', String(STOP_SECONDS), name], options).catch(warn('stopped'));
    this.#end();
    await this.exited;
    await tool.ask(['rm', '--force', '--volumes', name], options).catch(warn('removed'));
  }

  /** Why a container ended unexpectedly. */
  async #explain(code: ExitCode, tail: readonly string[]): Promise<string> {
    const { tool, name, launch } = this.#options;
    if (this.#stopping !== undefined) return 'The container was stopped.';
    if (code === NOT_STARTED) {
      const output = tail.filter((line) => !/level=warning/.test(line));
      return `${tool.title} could not start a container of ${launch.reference}.${withTail(output)}`;
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
      const cause = isOutOfMemory
        ? 'was ended because it was out of memory'
        : 'was killed, most likely because it was out of memory';
      return `The container of ${launch.reference} ${cause} (exit code ${code ?? KILLED}).${limit}${withTail(tail)}`;
    }
    return `The container of ${launch.reference} exited with code ${code ?? 'unknown'}.${withTail(tail)}`;
  }

  /**
   * @param portInside the port of the server in the container.
   * @param problem a clause about its last response.
   */
  #explainNoHealth(portInside: number, problem: string): string {
    const { launch, startTimeoutMs } = this.#options;
    return `The container of ${launch.reference} runs, but its server was not ready within ${startTimeoutMs / 1_000} s: ${problem} from GET /ok on port ${portInside}. The server must listen on the port in the variable PORT.`;
  }
}

/** Runs a container until it ends. Never rejects. @param signal ends the container when aborted. */
function runContainer(
  { launch, tool, runner, name, labels, volumes }: ContainerOptions,
  {
    server,
    file,
    onLine,
  }: { readonly server: StartingServer; readonly file: EnvironmentFile; onLine(line: string): void },
  signal: AbortSignal,
): Promise<ExitCode> {
  const ended = runner.run({
    command: tool.program,
    args: runArguments(tool, {
      name,
      imageId: launch.image.id,
      labels,
      environmentFile: file.path,
      environmentNames: Object.keys(file.others),
      volumes,
      limits: launch.limits,
      ports: { host: server.port, container: server.portInside },
    }),
    cwd: tmpdir(),
    env: { ...pickVariables(tool.environment), ...file.others },
    // The tool itself does not end a container that ignores signals.
    cleanup: removalOf(tool, name),
    keepsOutput: false,
    signal,
    onLine,
  });
  return ended.then(
    () => 0,
    (error: unknown) => (error instanceof CommandError ? error.code : undefined),
  );
}

function wasOutOfMemory(inspected: string): boolean {
  const read = Inspected.safeParse(jsonOrUndefined(inspected));
  return read.success && read.data[0].State.OOMKilled === true;
}

function withTail(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\n${lines.map(plainLine).join('\n')}`;
}
