import type { AgentServer } from '../../agent-server/agent-server.ts';
import type { RuntimeSource } from '../../runtimes/generations/runtime-source.ts';

/** Earlier revisions of a deployment on which runs on this server may still end. */
export class KeptRevisions {
  readonly #graphs: AgentServer;
  readonly #findSource: (revisionId: string, signal: AbortSignal) => Promise<RuntimeSource>;
  /** The time until which each is kept, in ms since the epoch, by ID. */
  readonly #until = new Map<string, number>();
  /** Those that were seen to drain, so that they are known to be ended once they no longer do. */
  readonly #draining = new Set<string>();
  /** Those that had a run left here that was not stored yet when they were ended, and which it may finish. */
  readonly #spared = new Set<string>();

  /** @param findSource finds the files of a revision. @throws Error if they cannot be obtained. */
  constructor(
    graphs: AgentServer,
    findSource: (revisionId: string, signal: AbortSignal) => Promise<RuntimeSource>,
  ) {
    this.#graphs = graphs;
    this.#findSource = findSource;
  }

  /** @param until the time in ms since the epoch */
  keep(revisionId: string, until: number): void {
    this.#until.set(revisionId, until);
    this.#graphs.keepRevision(revisionId, (signal) => this.#findSource(revisionId, signal));
  }

  /** Keeps a revision that drains. @param until ms since the epoch */
  keepDraining(revisionId: string, until: number): void {
    this.#draining.add(revisionId);
    this.keep(revisionId, until);
  }

  /** Ends a revision with its runs. */
  async end(revisionId: string): Promise<void> {
    for (const ids of [this.#until, this.#draining, this.#spared]) ids.delete(revisionId);
    await this.#graphs.endRevision(revisionId);
  }

  /** Whether an unfinished run on this server has begun on a revision. */
  hasRunsOf(revisionId: string): boolean {
    return this.#graphs.hasRunsOf(revisionId);
  }

  /**
   * Ends those that no longer drain: with their runs when their time is over or someone has ended them, otherwise
   * once they have none here.
   * @param draining the IDs of those that still drain.
   * @param served the ID of the revision that is served, which is about to drain if it is kept.
   * @param hasStoredRuns whether the database has unfinished runs of a revision: if so, it was ended before its time.
   * @returns whether others are left.
   */
  async endDrained(
    draining: ReadonlySet<string>,
    served: string | undefined,
    hasStoredRuns: (revisionId: string) => Promise<boolean>,
  ): Promise<boolean> {
    let areLeft = false;
    for (const [id, until] of [...this.#until]) {
      if (draining.has(id) || id === served) continue;
      const isWhole =
        until > Date.now() && this.hasRunsOf(id) && !(await this.#isCutShort(id, hasStoredRuns));
      if (isWhole) areLeft = true;
      else await this.end(id);
    }
    return areLeft;
  }

  /** Whether someone has ended a revision that drained. */
  async #isCutShort(id: string, hasStoredRuns: (id: string) => Promise<boolean>): Promise<boolean> {
    if (!this.#draining.has(id) || this.#spared.has(id)) return false;
    if (await hasStoredRuns(id)) return true;
    this.#spared.add(id);
    return false;
  }
}
