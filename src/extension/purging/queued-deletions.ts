import { randomUUID } from 'node:crypto';

import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import type { PurgeScope } from '../../purge/scope.ts';
import type { QueuedDeletion } from './queued-deletion.ts';
import { isRecheckDue } from './recheck.ts';

const KEY = 'queuedDeletions';

/**
 * Deletions that remote platforms have queued. The platforms report nothing more, so the remaining traces
 * are counted.
 */
export class QueuedDeletions implements vscode.Disposable {
  readonly #memento: vscode.Memento;
  readonly #changed = new vscode.EventEmitter<void>();
  /** The time of each deletion's last check, in milliseconds since 1970, even if the check failed. */
  readonly #tried = new Map<string, number>();

  /** @param memento of the user, because connections are stored per user */
  constructor(memento: vscode.Memento) {
    this.#memento = memento;
  }

  get onDidChange(): vscode.Event<void> {
    return this.#changed.event;
  }

  of(connectionId: string): readonly QueuedDeletion[] {
    return this.#readAll().filter((queued) => queued.connectionId === connectionId);
  }

  async add(connectionId: string, scope: PurgeScope, traces: number): Promise<void> {
    const requestedAt = new Date().toISOString();
    await this.#keep([...this.#readAll(), { id: randomUUID(), connectionId, scope, requestedAt, traces }]);
  }

  /** Counts how many of the traces still exist, and stores the number. @throws RequestError */
  async check(queued: QueuedDeletion, client: Client): Promise<number> {
    this.#tried.set(queued.id, Date.now());
    const { findTraces } = await import('../../purge/find-traces.ts');
    const { length: remaining } = await findTraces(client, queued.scope);
    const checked = { ...queued, remaining, checkedAt: new Date().toISOString() };
    await this.#keep(this.#readAll().map((other) => (other.id === queued.id ? checked : other)));
    return remaining;
  }

  /** Checks the deletions of a platform that are due; called by the views that show them. */
  async checkDue(connectionId: string, client: Client): Promise<void> {
    const now = Date.now();
    const due = this.of(connectionId).filter((queued) =>
      isRecheckDue(queued, now, this.#tried.get(queued.id)),
    );
    // A platform that does not answer now is asked again later.
    await Promise.allSettled(due.map((queued) => this.check(queued, client)));
  }

  async forget(id: string): Promise<void> {
    await this.#keep(this.#readAll().filter((queued) => queued.id !== id));
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #readAll(): readonly QueuedDeletion[] {
    return this.#memento.get<readonly QueuedDeletion[]>(KEY, []);
  }

  async #keep(all: readonly QueuedDeletion[]): Promise<void> {
    await this.#memento.update(KEY, all);
    this.#changed.fire();
  }
}
