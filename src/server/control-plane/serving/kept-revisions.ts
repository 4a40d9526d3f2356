import type { AgentServer } from '../../agent-server/agent-server.ts';
import type { RuntimeSource } from '../../runtimes/generations/runtime-source.ts';

/** Keeps the graphs of a deployment's earlier revisions on this server, until the runs that began on them have ended. */
export class KeptRevisions {
  readonly #graphs: AgentServer;
  readonly #findSource: (revisionId: string, signal: AbortSignal) => Promise<RuntimeSource>;
  /** The time until which each revision is kept, by ID, in milliseconds since the epoch. */
  readonly #until = new Map<string, number>();
  /**
   * The IDs of kept revisions whose draining has begun. When the database no longer lists one, its draining
   * has ended.
   */
  readonly #draining = new Set<string>();
  /**
   * The IDs of revisions whose draining ended because the database had no run of them, although this server
   * had one that was not stored yet. They are kept for this run.
   */
  readonly #spared = new Set<string>();

  /** @param findSource finds the files of a revision. @throws Error if they cannot be obtained. */
  constructor(
    graphs: AgentServer,
    findSource: (revisionId: string, signal: AbortSignal) => Promise<RuntimeSource>,
  ) {
    this.#graphs = graphs;
    this.#findSource = findSource;
  }

  /** Keeps a revision. @param until in milliseconds since the epoch. */
  keep(revisionId: string, until: number): void {
    this.#until.set(revisionId, until);
    this.#graphs.keepRevision(revisionId, (signal) => this.#findSource(revisionId, signal));
  }

  /** Keeps a revision that is draining. @param until in milliseconds since the epoch. */
  keepDraining(revisionId: string, until: number): void {
    this.#draining.add(revisionId);
    this.keep(revisionId, until);
  }

  /** Stops keeping a revision. Its runs here are interrupted. */
  async end(revisionId: string): Promise<void> {
    for (const ids of [this.#until, this.#draining, this.#spared]) ids.delete(revisionId);
    await this.#graphs.endRevision(revisionId);
  }

  /** Whether this server has an unfinished run that began on a revision. */
  hasRunsOf(revisionId: string): boolean {
    return this.#graphs.hasRunsOf(revisionId);
  }

  /**
   * Stops keeping revisions that are no longer draining. If the time of a revision is over, or a user ended
   * its draining, its runs here are interrupted; otherwise, it is kept until it has no runs here.
   * @param draining the IDs of the revisions that are still draining.
   * @param served the ID of the served revision. During a rollout, it is kept before it drains.
   * @param hasStoredRuns whether the database has unfinished runs of a revision, which shows that a user
   * ended its draining.
   * @returns whether revisions that are no longer draining are left.
   */
  async endDrained(
    draining: ReadonlySet<string>,
    served: string | undefined,
    hasStoredRuns: (revisionId: string) => Promise<boolean>,
  ): Promise<boolean> {
    let areLeft = false;
    for (const [id, until] of [...this.#until]) {
      if (draining.has(id) || id === served) continue;
      const mayFinish =
        until > Date.now() && this.hasRunsOf(id) && !(await this.#wasEndedByUser(id, hasStoredRuns));
      if (mayFinish) areLeft = true;
      else await this.end(id);
    }
    return areLeft;
  }

  /** Whether a user ended the draining of a revision. Otherwise, the revision is spared from then on. */
  async #wasEndedByUser(id: string, hasStoredRuns: (id: string) => Promise<boolean>): Promise<boolean> {
    if (!this.#draining.has(id) || this.#spared.has(id)) return false;
    if (await hasStoredRuns(id)) return true;
    this.#spared.add(id);
    return false;
  }
}
