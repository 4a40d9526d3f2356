import type { WorkClock } from './work-clock.ts';

/** How long loading may take. */
export interface LoadLimit {
  /** How long loading may do nothing, that is, neither print output nor use the processor. */
  readonly quietMs: number;
  /** How long loading may use the processor without output. */
  readonly silentMs: number;
}

/** How many times a process is checked within `quietMs`. */
const CHECKS = 4;
/** A process counts as working if it uses at least this share of one processor. */
const WORKING_SHARE = 0.02;

/** Notices when a process that loads graphs no longer makes progress. */
export class LoadWatch {
  readonly #clock: WorkClock;
  readonly #limit: LoadLimit;
  readonly #cpuMs: () => Promise<number | undefined>;
  readonly #onStuck: (how: string) => void;
  #cancelCheck: () => void = () => {};
  #isOver = false;
  #quietMs = 0;
  #silentMs = 0;
  #lastCpuMs: number | undefined;

  /**
   * @param clock the clock for the limits, which stops while a debugger pauses the process.
   * @param cpuMs reads the processor time that the process has used; undefined if unknown.
   * @param onStuck called once, with a clause that says what is missing.
   */
  constructor(
    clock: WorkClock,
    limit: LoadLimit,
    cpuMs: () => Promise<number | undefined>,
    onStuck: (how: string) => void,
  ) {
    this.#clock = clock;
    this.#limit = limit;
    this.#cpuMs = cpuMs;
    this.#onStuck = onStuck;
    this.#checkLater();
  }

  /** Called when the process has printed something. */
  progress(): void {
    this.#quietMs = 0;
    this.#silentMs = 0;
  }

  /** Stops watching. */
  end(): void {
    this.#isOver = true;
    this.#cancelCheck();
  }

  #checkLater(): void {
    const passMs = this.#limit.quietMs / CHECKS;
    this.#cancelCheck = this.#clock.after(passMs, async () => {
      const cpuMs = await this.#cpuMs();
      if (this.#isOver) return;
      const isWorking = cpuMs !== undefined && cpuMs - (this.#lastCpuMs ?? 0) > passMs * WORKING_SHARE;
      this.#lastCpuMs = cpuMs ?? this.#lastCpuMs;
      this.#quietMs = isWorking ? 0 : this.#quietMs + passMs;
      this.#silentMs += passMs;
      const { quietMs, silentMs } = this.#limit;
      if (this.#quietMs < quietMs && this.#silentMs < silentMs) return this.#checkLater();
      this.end();
      this.#onStuck(
        this.#quietMs < quietMs
          ? `has not printed anything for ${silentMs / 1000} s`
          : `has not done anything for ${quietMs / 1000} s`,
      );
    });
  }
}

/** The processor time that a process on this machine has used, in milliseconds; undefined if it cannot be read. */
export async function cpuMsOf(pid: number | undefined): Promise<number | undefined> {
  if (pid === undefined) return undefined;
  try {
    const { default: pidusage } = await import('pidusage');
    const { ctime } = await pidusage(pid);
    return ctime;
  } catch {
    return undefined;
  }
}
