import type { PausedAt } from '../../../contract/debugging.ts';
import type { FolderDeployments } from '../../deployments/folder-deployments.ts';
import type { Journal } from './journal.ts';

/** Tells a panel when a debugger, of this window or another, pauses the process that runs its graph. */
export class Pauses {
  readonly #subscription: { dispose(): void };
  #told: PausedAt | undefined;
  #since = 0;
  #heldMs = 0;

  constructor(
    deployments: Pick<FolderDeployments, 'liveOf' | 'onDidChange'>,
    configPath: string,
    journal: Pick<Journal, 'add'>,
  ) {
    const look = () => {
      const at = deployments.liveOf(configPath)?.debugging?.paused;
      if (JSON.stringify(at) === JSON.stringify(this.#told)) return;
      if (this.#told !== undefined) this.#heldMs += performance.now() - this.#since;
      this.#since = performance.now();
      this.#told = at;
      journal.add({ type: 'paused', at });
    };
    this.#subscription = deployments.onDidChange(look);
    look();
  }

  /** Milliseconds of a clock that stops while a debugger pauses the process, so that pauses do not count. */
  now(): number {
    return performance.now() - this.heldMs();
  }

  /** Milliseconds for which the process has been paused so far. */
  heldMs(): number {
    return this.#heldMs + (this.#told === undefined ? 0 : performance.now() - this.#since);
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}
