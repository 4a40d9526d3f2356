import { execFile } from 'node:child_process';
import { asSentence } from '../process/as-sentence.ts';
import { hostNetworkIn, splitOptions } from './tool-options.ts';

/** How long a short command, such as `inspect`, may take. */
const ANSWER_TIMEOUT_MS = 30_000;
const MAX_OUTPUT_BYTES = 16 * 1_048_576;
const INSTALL =
  'Install Docker or Podman, or set AGENT_HARBOR_CONTAINER_TOOL to the path of one that is installed elsewhere.';

/** There is no container tool that works; the message says why, and what to do. */
export class NoContainerToolError extends Error {
  override readonly name = 'NoContainerToolError';
}

/** A command of the container tool failed; the message is the reason that the tool gave. */
export class ContainerToolError extends Error {
  override readonly name = 'ContainerToolError';
}

export type ToolName = 'docker' | 'podman';

/** The Docker or Podman of this machine. */
export class ContainerTool {
  readonly name: ToolName;
  /** The version of the engine, which may differ from that of its command line. */
  readonly version: string;
  /** The program: a path, or a name to be found in `PATH`. */
  readonly program: string;
  /** Options that this machine needs in each `run` (and `build`), from `AGENT_HARBOR_CONTAINER_RUN_OPTIONS`. */
  readonly runOptions: readonly string[];
  /** The environment in which its commands run. */
  readonly environment: NodeJS.ProcessEnv;
  readonly #globalOptions: readonly string[];

  constructor(found: { name: ToolName; version: string; program: string }, environment: NodeJS.ProcessEnv) {
    this.name = found.name;
    this.version = found.version;
    this.program = found.program;
    this.environment = environment;
    this.runOptions = splitOptions(environment.AGENT_HARBOR_CONTAINER_RUN_OPTIONS);
    this.#globalOptions = splitOptions(environment.AGENT_HARBOR_CONTAINER_OPTIONS);
  }

  /** Whether containers use the machine's own network, where no port is mapped. */
  get usesHostNetwork(): boolean {
    return hostNetworkIn(this.runOptions);
  }

  /** The tool with its version, such as "Podman 4.3.1". */
  get title(): string {
    return `${titleOf(this.name)} ${this.version}`;
  }

  /** The arguments of a command, with the options that this machine needs before the verb. */
  command(verb: string, ...args: readonly string[]): string[] {
    return [...this.#globalOptions, verb, ...args];
  }

  /**
   * Runs a short command, such as `inspect` or `rm`.
   * @returns what it printed on standard output.
   * @throws ContainerToolError
   */
  async ask(
    args: readonly [verb: string, ...rest: string[]],
    { timeoutMs }: { timeoutMs?: number } = {},
  ): Promise<string> {
    const ended = await run(this.program, this.command(...args), this.environment, timeoutMs);
    if (ended.failed) throw new ContainerToolError(reasonIn(ended.stderr) ?? ended.message);
    return ended.stdout;
  }
}

/**
 * Finds the container tool of this machine: the one that `AGENT_HARBOR_CONTAINER_TOOL` names, or the first of Docker
 * and Podman that works.
 * @throws NoContainerToolError
 */
export async function findContainerTool(
  environment: NodeJS.ProcessEnv = process.env,
): Promise<ContainerTool> {
  const named = environment.AGENT_HARBOR_CONTAINER_TOOL?.trim();
  const problems: string[] = [];
  for (const program of named ? [named] : ['docker', 'podman']) {
    const found = await tryTool(program, environment);
    if (found instanceof ContainerTool) return found;
    if (found !== undefined) problems.push(found);
  }
  if (problems.length > 0) throw new NoContainerToolError(problems.join(' '));
  throw new NoContainerToolError(
    named
      ? `AGENT_HARBOR_CONTAINER_TOOL is '${named}', which is not a Docker or Podman that can be run. ${INSTALL}`
      : `Images need Docker or Podman, and neither was found on this machine. ${INSTALL}`,
  );
}

/**
 * Checks whether a program is a container tool that works.
 * @returns the tool; a sentence that says why it does not work; undefined when there is no such tool.
 */
async function tryTool(
  program: string,
  environment: NodeJS.ProcessEnv,
): Promise<ContainerTool | string | undefined> {
  const asked = await run(program, ['--version'], environment);
  // Podman can be installed under Docker's name.
  const [, reportedName, cliVersion = ''] =
    /^(docker|podman) version v?([\w.+-]*\w)/i.exec(asked.stdout) ?? [];
  if (asked.failed || reportedName === undefined) return undefined;
  const name: ToolName = reportedName.toLowerCase() === 'podman' ? 'podman' : 'docker';
  const options = splitOptions(environment.AGENT_HARBOR_CONTAINER_OPTIONS);
  const question =
    name === 'podman'
      ? ['info', '--format', '{{.Version.Version}}']
      : ['version', '--format', '{{.Server.Version}}'];
  const answered = await run(program, [...options, ...question], environment);
  const version = answered.stdout.trim();
  if (!answered.failed && /^\d/.test(version)) {
    return new ContainerTool({ name, version, program }, environment);
  }
  const why = reasonIn(answered.stderr) ?? answered.message;
  if (options.length > 0 && /^unknown (?:shorthand )?flag/.test(why))
    return `${titleOf(name)} ${cliVersion} does not accept the options in AGENT_HARBOR_CONTAINER_OPTIONS: ${asSentence(why)} Change it, or set AGENT_HARBOR_CONTAINER_TOOL to the tool that it is for.`;
  return `${titleOf(name)} ${cliVersion} is installed, but does not work: ${asSentence(why)} Start it, or set AGENT_HARBOR_CONTAINER_TOOL to another one.`;
}

/** How a command ended. `message` says why it failed, if the tool's error output does not. */
interface Ended {
  readonly failed: boolean;
  readonly message: string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command. It does not throw: a program that cannot be started has failed, too. */
function run(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  timeout = ANSWER_TIMEOUT_MS,
): Promise<Ended> {
  const options = { env, timeout, maxBuffer: MAX_OUTPUT_BYTES, windowsHide: true } as const;
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      const timedOut = error?.killed === true ? `no answer within ${timeout / 1_000} s` : undefined;
      resolve({
        failed: error !== null,
        message: timedOut ?? error?.message ?? '',
        stdout,
        // The output of a tool that was stopped does not say why it failed.
        stderr: timedOut === undefined ? stderr : '',
      });
    });
  });
}

/** The reason in the error output of a tool: its last line, without the prefix, warnings, and the help after it. */
function reasonIn(stderr: string): string | undefined {
  const [said = ''] = stderr.split(/^(?:See '|Usage:)/m, 1);
  const lines = said.split('\n').filter((line) => line.trim() !== '' && !/level=warning/.test(line));
  const reason = lines
    .at(-1)
    ?.replace(/^(?:error|docker):\s*/i, '')
    .trim();
  return reason || undefined;
}

function titleOf(name: ToolName): string {
  return name === 'podman' ? 'Podman' : 'Docker';
}
