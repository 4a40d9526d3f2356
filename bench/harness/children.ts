import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pidtree } from 'pidtree';
import { isAlive } from '../../test/support/process-tree.ts';

export interface Command {
  /** Names the process in messages. */
  readonly name: string;
  /** The program; Node by default. */
  readonly file?: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Folders that are removed once it has ended. */
  readonly leaves?: readonly string[];
}

export interface StopOptions {
  /** How long a process may take to stop on request, in milliseconds. */
  readonly graceMs: number;
  /** Called with a sentence about processes that had to be killed. */
  readonly report: (sentence: string) => void;
}

/** All processes that were started, so that none outlives its parent. */
export class Children {
  readonly #started: Child[] = [];
  #ended = false;
  readonly #stopOptions: StopOptions;

  constructor(stopOptions: StopOptions) {
    this.#stopOptions = stopOptions;
  }

  /** Starts Node, or another program, in a clean environment, with its output going to files as it would for a user. */
  async start(command: Command): Promise<Child> {
    if (this.#ended) throw new Error('The benchmark is ending.');
    const folder = await mkdtemp(path.join(tmpdir(), `bench-${command.name}-`));
    const stdout = await open(path.join(folder, 'stdout.log'), 'w');
    const stderr = await open(path.join(folder, 'stderr.log'), 'w');
    try {
      const spawnedAt = process.hrtime.bigint();
      const spawned = spawn(command.file ?? process.execPath, command.args, {
        cwd: command.cwd,
        env: { ...cleanEnvironment(), ...command.env },
        stdio: ['ignore', stdout.fd, stderr.fd],
        windowsHide: true,
        // Ctrl-C is for the benchmark, which asks each process to end once: asked twice, `dev` ends before its server.
        detached: process.platform !== 'win32',
      });
      const child = new Child(
        {
          name: command.name,
          folders: [folder, ...(command.leaves ?? [])],
          folder,
          process: spawned,
          spawnedAt,
        },
        this.#stopOptions,
      );
      this.#started.push(child);
      return child;
    } finally {
      await stdout.close();
      await stderr.close();
    }
  }

  /** Stops everything that is still running; nothing can be started after that. */
  async stopAll(): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#started.map((child) => child.stop()));
  }
}

interface Started {
  readonly name: string;
  /** A temporary folder with its output, deleted when the process is stopped. */
  readonly folder: string;
  /** That folder, and others that the process leaves. */
  readonly folders: readonly string[];
  readonly process: ChildProcess;
  readonly spawnedAt: bigint;
}

/** A started process with all processes that it started itself. */
export class Child {
  readonly name: string;
  readonly folder: string;
  readonly spawnedAt: bigint;
  readonly #process: ChildProcess;
  readonly #stopOptions: StopOptions;
  readonly #roots: number[];
  readonly #folders: readonly string[];
  #stopping: Promise<void> | undefined;

  constructor(started: Started, stopOptions: StopOptions) {
    this.name = started.name;
    this.folder = started.folder;
    this.spawnedAt = started.spawnedAt;
    this.#process = started.process;
    this.#folders = started.folders;
    this.#stopOptions = stopOptions;
    this.#roots = started.process.pid === undefined ? [] : [started.process.pid];
    // `exited` reports it; without a listener a failed spawn would end the benchmark.
    started.process.on('error', () => {});
  }

  get exited(): boolean {
    return (
      this.#process.pid === undefined || this.#process.exitCode !== null || this.#process.signalCode !== null
    );
  }

  /** Adds a process that detached itself, and is therefore not among the descendants. */
  adopt(pid: number): void {
    if (!this.#roots.includes(pid)) this.#roots.push(pid);
  }

  /** The ids of the process, of adopted ones, and of all their descendants that are alive now. */
  async pids(): Promise<number[]> {
    const trees = await Promise.all(
      this.#roots.filter(isAlive).map((pid) => pidtree(pid, { root: true }).catch(() => [pid])),
    );
    return [...new Set(trees.flat())].filter(isAlive);
  }

  /** The output so far. */
  output(stream: 'stdout' | 'stderr'): Promise<string> {
    return readFile(path.join(this.folder, `${stream}.log`), 'utf8');
  }

  /** Asks the process to stop, kills what is left after a grace period, and removes its folder. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    const { graceMs, report } = this.#stopOptions;
    const pids = await this.pids();
    if (!this.exited) this.#process.kill('SIGTERM');
    const left = await stillAlive(pids, graceMs);
    for (const pid of left) kill(pid);
    if (left.length > 0) {
      report(`${this.name}: ${left.length} of ${pids.length} processes did not end by themselves.`);
      await stillAlive(left, graceMs);
    }
    for (const folder of this.#folders) await rm(folder, { recursive: true, force: true });
  }
}

/** @returns those of `pids` that are alive after at most `timeoutMs` */
async function stillAlive(pids: readonly number[], timeoutMs: number): Promise<number[]> {
  const deadline = Date.now() + timeoutMs;
  let alive = pids.filter(isAlive);
  while (alive.length > 0 && Date.now() < deadline) {
    await sleep(20);
    alive = alive.filter(isAlive);
  }
  return alive;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself in the meantime.
  }
}

/** The environment without settings that would change a server's defaults, and with this Node first. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const settings = /^(LANGSMITH_|LANGCHAIN_|LANGGRAPH_|AGENT_HARBOR_|npm_|NODE_OPTIONS$|NODE_ENV$|PATH$)/i;
  const kept = Object.entries(process.env).filter(([name]) => !settings.test(name));
  const folders = [path.dirname(process.execPath), process.env.PATH ?? ''];
  return { ...Object.fromEntries(kept), PATH: folders.join(path.delimiter) };
}
