import type { AgentServer } from '../../agent-server/agent-server.ts';
import type { RuntimeSource } from '../../runtimes/generations/runtime-source.ts';

/** Earlier revisions of a deployment on which runs of this server may end. */
export class KeptRevisions {
  readonly #graphs: AgentServer;
  readonly #findSource: (revisionId: string, signal: AbortSignal) => Promise<RuntimeSource>;
  /** By ID, with the time until when in ms since the epoch. */
  readonly #until = new Map<string, number>();

  /** @param findSource finds the files of a revision. @throws Error when they cannot be had. */
  constructor(
    graphs: AgentServer,
    findSource: (revisionId: string, signal: AbortSignal) => Promise<RuntimeSource>,
  ) {
    this.#graphs = graphs;
    this.#findSource = findSource;
  }

  /** @param until ms since the epoch */
  keep(revisionId: string, until: number): void {
    this.#until.set(revisionId, until);
    this.#graphs.keepRevision(revisionId, (signal) => this.#findSource(revisionId, signal));
  }

  /** Ends a revision with its runs. */
  async end(revisionId: string): Promise<void> {
    this.#until.delete(revisionId);
    await this.#graphs.endRevision(revisionId);
  }

  /** Whether an unfinished run of this server has begun on a revision. */
  hasRunsOf(revisionId: string): boolean {
    return this.#graphs.hasRunsOf(revisionId);
  }

  /**
   * Ends those that no longer drain: with their runs when their time is over, otherwise once they have none here.
   * @param draining the IDs of those that still drain.
   * @param served the ID of the revision that is served, which is about to drain if it is kept.
   * @returns whether others are left.
   */
  async endDrained(draining: ReadonlySet<string>, served: string | undefined): Promise<boolean> {
    const ended = [...this.#until].filter(([id]) => !draining.has(id) && id !== served);
    const left = ended.filter(([id, until]) => until > Date.now() && this.hasRunsOf(id));
    for (const one of ended) if (!left.includes(one)) await this.end(one[0]);
    return left.length > 0;
  }
}
