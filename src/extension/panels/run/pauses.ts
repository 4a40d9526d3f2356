import type { PausedAt } from '../../../contract/debugging.ts';
import type { FolderDeployments } from '../../deployments/folder-deployments.ts';
import type { Journal } from './journal.ts';

/** Tells a panel when a debugger, of this window or another, holds the process that runs its graph. */
export class Pauses {
  readonly #subscription: { dispose(): void };
  #told: PausedAt | undefined;

  constructor(
    deployments: Pick<FolderDeployments, 'liveOf' | 'onDidChange'>,
    configPath: string,
    journal: Journal,
  ) {
    const look = () => {
      const at = deployments.liveOf(configPath)?.debugging?.paused;
      if (JSON.stringify(at) === JSON.stringify(this.#told)) return;
      this.#told = at;
      journal.add({ type: 'paused', at });
    };
    this.#subscription = deployments.onDidChange(look);
    look();
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}
