import { RunsQuery } from '../../../../contract/tracing/runs.ts';
import { notFound } from '../../../http/errors.ts';
import type { TracingServices } from '../../services/services.ts';

/** Reads the runs of a shared trace, and no others. */
export class SharedTraces {
  readonly #read: TracingServices['read'];

  constructor({ read }: TracingServices) {
    this.#read = read;
  }

  /** Reads the run that was shared, as a JSON array with one element. @throws HttpError 404 */
  async readRoot(token: string): Promise<string> {
    const { target, runId } = await this.#open(token);
    return this.readRun(token, runId ?? target);
  }

  /** Reads runs of the trace, as a JSON array. @throws HttpError 404 */
  async readRuns(token: string, selected: Partial<RunsQuery>): Promise<string> {
    const { workspaceId, target } = await this.#open(token);
    const query = { ...RunsQuery.parse({ order: 'asc' }), ...selected, session: undefined, trace: target };
    return (await this.#read('queryRuns', { workspaceId, query, withoutFeedback: true })).runs;
  }

  /** Reads a run of the trace, as a JSON array with one element. @throws HttpError 404 */
  async readRun(token: string, runId: string, select?: readonly string[]): Promise<string> {
    const runs = await this.readRuns(token, {
      id: [runId],
      select: select === undefined ? undefined : [...select],
    });
    if (runs === '[]') throw notFound('Run', runId);
    return runs;
  }

  #open(token: string) {
    return this.#read('openShare', { token, kind: 'trace' });
  }
}
