import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The processor time of a test ring's processes. */
export interface ProcessorTime {
  /** User and system time of all of them, in seconds. */
  readonly seconds: number;
  /** By program (`node cli.js`, `postgres`, `chromium`), the one with the most time first. */
  readonly programs: Readonly<Record<string, ProgramTime>>;
}

export interface ProgramTime {
  /** Processes that were seen. */
  readonly starts: number;
  /** Their time, with that of their children that were not seen themselves. */
  readonly seconds: number;
}

/** The variable that marks the processes of a ring; they inherit it. */
const RING_VARIABLE = 'AGENT_HARBOR_TEST_RING';

/** Another run on the same machine has rings with the same names. */
const THIS_RUN = `${process.pid} `;

/** The environment variable that marks the processes of a ring. */
export function markOf(ring: string): Readonly<Record<string, string>> {
  return { [RING_VARIABLE]: THIS_RUN + ring };
}

const SAMPLE_MS = 500;

/** Ticks per second in `/proc/<pid>/stat`: 100 on every Linux that Node supports (USER_HZ). */
const TICKS = 100;

interface Seen {
  readonly program: string;
  readonly parent: number;
  /** Its own ticks, as last seen. */
  own: number;
  /** Ticks of children that have ended and that it has waited for, as last seen. */
  waitedFor: number;
  /** Ticks of those children that were seen themselves, and are therefore counted already. */
  counted: number;
}

/**
 * Watches the processes that carry a ring's mark, and sums up their processor time. Processes that live shorter than
 * half a second may not be seen themselves; their time is then counted for the parent that waited for them.
 */
export class ProcessorTimes {
  readonly #rings = new Map<string, Map<number, Seen>>();
  readonly #ringOf = new Map<number, string | undefined>();
  readonly #alive = new Set<number>();
  readonly #timer: NodeJS.Timeout;

  private constructor() {
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
    this.#timer.unref();
  }

  /** @returns undefined on macOS and Windows, which have no `/proc` with the times. */
  static start(): ProcessorTimes | undefined {
    return process.platform === 'linux' ? new ProcessorTimes() : undefined;
  }

  /** The processor time of a ring's processes so far. */
  of(ring: string): ProcessorTime {
    this.#sample();
    const seen = [...(this.#rings.get(ring)?.values() ?? [])];
    const programs = new Map<string, ProgramTime>();
    for (const { program, own, waitedFor, counted } of seen) {
      const before = programs.get(program) ?? { starts: 0, seconds: 0 };
      const seconds = (own + Math.max(0, waitedFor - counted)) / TICKS;
      programs.set(program, { starts: before.starts + 1, seconds: before.seconds + seconds });
    }
    return {
      seconds: [...programs.values()].reduce((sum, { seconds }) => sum + seconds, 0),
      programs: Object.fromEntries([...programs].toSorted(([, a], [, b]) => b.seconds - a.seconds)),
    };
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
    for (const pid of pids) this.#look(pid);
    const left = new Set(pids);
    for (const pid of this.#alive) {
      if (!left.has(pid)) this.#ended(pid);
    }
  }

  #look(pid: number): void {
    const times = readStat(pid);
    if (times === undefined) return;
    const ring = this.#ringOfProcess(pid, times.parent);
    if (ring === undefined) return;
    const processes = this.#rings.get(ring) ?? new Map<number, Seen>();
    this.#rings.set(ring, processes);
    const before = processes.get(pid);
    if (before === undefined) {
      processes.set(pid, { ...times, program: programOf(pid), counted: 0 });
      this.#alive.add(pid);
    } else {
      before.own = times.own;
      before.waitedFor = times.waitedFor;
    }
  }

  /**
   * Read once, because a process keeps its mark. One that was started with another environment gets its parent's mark.
   */
  #ringOfProcess(pid: number, parent: number): string | undefined {
    if (!this.#ringOf.has(pid)) this.#ringOf.set(pid, readMark(pid) ?? this.#ringOf.get(parent));
    return this.#ringOf.get(pid);
  }

  #ended(pid: number): void {
    const ring = this.#ringOf.get(pid) ?? '';
    const processes = this.#rings.get(ring);
    const process = processes?.get(pid);
    this.#alive.delete(pid);
    this.#ringOf.delete(pid);
    if (processes === undefined || process === undefined) return;
    const parent = processes.get(process.parent);
    if (parent !== undefined && this.#alive.has(process.parent)) {
      parent.counted += process.own + process.waitedFor;
    }
    // The system may reuse its ID for another process.
    processes.delete(pid);
    processes.set(-processes.size - pid * 1000, process);
  }
}

const MARK = `${RING_VARIABLE}=${THIS_RUN}`;

function readMark(pid: number): string | undefined {
  const entry = readText(`/proc/${pid}/environ`)
    ?.split('\0')
    .find((one) => one.startsWith(MARK));
  return entry?.slice(MARK.length);
}

/** Fields 4 and 14 to 17 of `/proc/<pid>/stat` (proc(5)), which follow the name in parentheses. */
function readStat(pid: number): Pick<Seen, 'parent' | 'own' | 'waitedFor'> | undefined {
  const text = readText(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return { parent: field(4), own: field(14) + field(15), waitedFor: field(16) + field(17) };
}

/** The program's name, and for Node that of its script, to tell servers from command lines. */
function programOf(pid: number): string {
  const [file = '', ...args] = (readText(`/proc/${pid}/cmdline`) ?? '').split('\0');
  const name = path.basename(file.split(' ')[0] ?? '');
  const script = args.find((arg) => /\.[cm]?[jt]s$/.test(arg));
  return name.startsWith('node') && script !== undefined
    ? `node ${path.basename(script)}`
    : name || 'unknown';
}

/** @returns undefined if the process has ended or belongs to another user */
function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
