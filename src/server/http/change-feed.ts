import type { Change } from '../../contract/harbor.ts';

type Listener = (changes: readonly Change[]) => void;

const GATHER_MS = 50;

/** Sends changes to listeners, at most a few times per second, each change once. */
export class ChangeFeed {
  readonly #listeners = new Map<Listener, string>();
  #pending = new Map<string, Change>();
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param workspaceId only this workspace's changes are heard.
   * @returns ends the subscription.
   */
  subscribe(workspaceId: string, listener: Listener): () => void {
    this.#listeners.set(listener, workspaceId);
    return () => this.#listeners.delete(listener);
  }

  publish(workspaceId: string, change: Change): void {
    if (this.#listeners.size === 0) return;
    const key = `${workspaceId} ${change.resource} ${change.id}`;
    const earlier = this.#pending.get(key);
    // Created and then updated within one batch is still new to listeners.
    const action = earlier?.action === 'created' && change.action === 'updated' ? 'created' : change.action;
    this.#pending.set(key, { ...change, action });
    this.#timer ??= setTimeout(() => this.#deliver(), GATHER_MS).unref();
  }

  #deliver(): void {
    this.#timer = undefined;
    const pending = this.#pending;
    this.#pending = new Map();
    const byWorkspace = new Map<string, Change[]>();
    for (const [key, change] of pending) {
      const [workspaceId = ''] = key.split(' ', 1);
      const changes = byWorkspace.get(workspaceId);
      if (changes === undefined) byWorkspace.set(workspaceId, [change]);
      else changes.push(change);
    }
    for (const [listener, workspaceId] of this.#listeners) {
      const changes = byWorkspace.get(workspaceId);
      if (changes !== undefined) listener(changes);
    }
  }
}
