import { readFileSync } from 'node:fs';
import { type Marker, processTree } from './process-tree.ts';

/** How often processes are looked at: the system keeps the peak of each while it runs. */
const INTERVAL_MS = 50;

/** The most memory that each of some processes had resident. Linux only. */
export class PeakMemory implements Disposable {
  readonly #peaks = new Map<number, { readonly command: string; bytes: number }>();
  readonly #timer: NodeJS.Timeout;

  /**
   * @param marker of the processes, or of those that started them
   * @param limit bytes; a process that has more is killed, so that the machine survives a leak
   */
  constructor(marker: Marker, limit: number) {
    this.#timer = setInterval(() => {
      // Programs that these start need not have the marker.
      for (const pid of processTree(processTree([], marker))) this.#look(pid, limit);
    }, INTERVAL_MS);
  }

  /** @returns bytes of the largest of those with this in their command */
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
      // One that ends has neither any more.
      if (bytes === 0) return;
      this.#peaks.set(pid, { command, bytes });
      if (bytes > limit) process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}
