import { z } from 'zod';
import { Change } from '../../contract/harbor.ts';

type Listener = (changes: readonly Change[]) => void;

/** Changes are collected for this long, and then sent together. */
const GATHER_MS = 50;
/** The maximum number of changes in one message to other servers. */
const MAX_CHANGES_PER_MESSAGE = 20;

const SUBJECT = 'changes';
const ChangesMessage = z.object({ workspaceId: z.string(), changes: z.array(z.unknown()) });

/** Messages to and from the other servers of a team, which make changes and have their own listeners. */
export interface OtherServers {
  tell(subject: string, message: unknown): void;
  /** @returns a function that stops listening. */
  listen(subject: string, listener: (message: unknown) => void): () => void;
}

/**
 * Sends changes to listeners in batches, at most every 50 ms, with one change for each resource. Changes of
 * other servers may be lost, so listeners of a team check again from time to time.
 */
export class ChangeFeed {
  /** The listeners, with the workspace that each subscribed to. */
  readonly #listeners = new Map<Listener, string>();
  readonly #others: OtherServers | undefined;
  #stopListening: (() => void) | undefined;
  #pending = new Map<string, Change>();
  #timer: NodeJS.Timeout | undefined;

  constructor(others?: OtherServers) {
    this.#others = others;
  }

  /**
   * @param workspaceId only changes of this workspace are sent.
   * @returns a function that ends the subscription.
   */
  subscribe(workspaceId: string, listener: Listener): () => void {
    this.#listeners.set(listener, workspaceId);
    this.#stopListening ??= this.#others?.listen(SUBJECT, (message) => this.#receive(message));
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#stopListening?.();
      this.#stopListening = undefined;
    };
  }

  publish(workspaceId: string, change: Change): void {
    if (this.#listeners.size === 0 && this.#others === undefined) return;
    const key = `${workspaceId} ${change.resource} ${change.id}`;
    const earlier = this.#pending.get(key);
    // A resource that was created and then updated within one batch is still new to listeners.
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
    for (const [workspaceId, changes] of byWorkspace) {
      this.#send(workspaceId, changes);
      for (let at = 0; at < changes.length; at += MAX_CHANGES_PER_MESSAGE) {
        const message = { workspaceId, changes: changes.slice(at, at + MAX_CHANGES_PER_MESSAGE) };
        this.#others?.tell(SUBJECT, message);
      }
    }
  }

  #receive(message: unknown): void {
    const { success, data } = ChangesMessage.safeParse(message);
    if (!success) return;
    // A newer server may announce resources that this one does not know.
    const known = data.changes.flatMap((change) => Change.safeParse(change).data ?? []);
    if (known.length > 0) this.#send(data.workspaceId, known);
  }

  #send(workspaceId: string, changes: readonly Change[]): void {
    for (const [listener, subscribedTo] of this.#listeners)
      if (subscribedTo === workspaceId) listener(changes);
  }
}
