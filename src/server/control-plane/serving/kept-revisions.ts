import type { AgentServer } from '../../agent-server/agent-server.ts';
import type { RuntimeSource } from '../../runtimes/generations/runtime-source.ts';

/** Earlier revisions of a deployment on which runs on this server may still end. */
export class KeptRevisions {
  readonly #graphs: AgentServer;
  readonly #findSource: (revisionId: string, signal: AbortSignal) => Promise<RuntimeSource>;
  /** The time until which each is kept, in ms since the epoch, by ID. */
  readonly #until = new Map<string, number>();

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

  /** Ends a revision with its runs. */
  async end(revisionId: string): Promise<void> {
    this.#until.delete(revisionId);
    await this.#graphs.endRevision(revisionId);
  }

  /** Whether an unfinished run on this server has begun on a revision. */
  hasRunsOf(revisionId: string): boolean {
    return this.#graphs.hasRunsOf(revisionId);
  }

  /**
   * Ends revisions that are no longer draining: together with their runs if their time is over, otherwise once they
   * have none here. @param draining the IDs of revisions that are still draining. @param served the ID of the revision
   * that is being served, which is about to drain if it is kept. @returns whether others are left.
   */
  async endDrained(draining: ReadonlySet<string>, served: string | undefined): Promise<boolean> {
    const ended = [...this.#until].filter(([id]) => !draining.has(id) && id !== served);
    const left = ended.filter(([id, until]) => until > Date.now() && this.hasRunsOf(id));
    for (const one of ended) if (!left.includes(one)) await this.end(one[0]);
    return left.length > 0;
  }
}
