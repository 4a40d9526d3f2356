import type { PausedAt } from '../../../contract/debugging.ts';
import type { FolderDeployments } from '../../deployments/folder-deployments.ts';
import type { Journal } from './journal.ts';

/** Sends a panel the pauses of the process that runs its graph, which debuggers of any window may cause. */
export class Pauses {
  readonly #subscription: { dispose(): void };
  /** The place that was sent last; undefined while the process runs. */
  #sent: PausedAt | undefined;
  #since = 0;
  #heldMs = 0;

  constructor(
    deployments: Pick<FolderDeployments, 'liveOf' | 'onDidChange'>,
    configPath: string,
    journal: Pick<Journal, 'add'>,
  ) {
    const look = () => {
      const at = deployments.liveOf(configPath)?.debugging?.paused;
      if (JSON.stringify(at) === JSON.stringify(this.#sent)) return;
      if (this.#sent !== undefined) this.#heldMs += performance.now() - this.#since;
      this.#since = performance.now();
      this.#sent = at;
      journal.add({ type: 'paused', at });
    };
    this.#subscription = deployments.onDidChange(look);
    look();
  }

  /** The time in milliseconds of a clock that stops while a debugger pauses the process. */
  now(): number {
    return performance.now() - this.heldMs();
  }

  /** Milliseconds for which the process has been paused so far. */
  heldMs(): number {
    return this.#heldMs + (this.#sent === undefined ? 0 : performance.now() - this.#since);
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}
