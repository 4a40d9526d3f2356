import { readFileSync } from 'node:fs';
import { type Marker, processTree } from './process-tree.ts';

/** The interval between samples: the system keeps the peak of each process while it runs. */
const INTERVAL_MS = 50;

/** The peak resident memory of each of several processes. Linux only. */
export class PeakMemory implements Disposable {
  readonly #peaks = new Map<number, { readonly command: string; bytes: number }>();
  readonly #timer: NodeJS.Timeout;

  /**
   * @param marker of the processes, or of those that started them @param limit in bytes; a process that uses more is
   * killed, so that the machine survives a leak
   */
  constructor(marker: Marker, limit: number) {
    this.#timer = setInterval(() => {
      // Programs that marked processes start need not have the marker.
      for (const pid of processTree(processTree([], marker))) this.#look(pid, limit);
    }, INTERVAL_MS);
  }

  /** @returns the peak, in bytes, of the largest process with this text in its command */
  of(command: string): number {
    const found = [...this.#peaks.values()].filter((one) => one.command.includes(command));
    return Math.max(0, ...found.map(({ bytes }) => bytes));
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #look(pid: number, limit: number): void {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      const [, kilobytes = '0'] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      const bytes = Number(kilobytes) * 1024;
      // A process that is ending has no memory and no command any more.
      if (bytes === 0) return;
      this.#peaks.set(pid, { command, bytes });
      if (bytes > limit) process.kill(pid, 'SIGKILL');
    } catch {
      // The process has ended.
    }
  }
}
