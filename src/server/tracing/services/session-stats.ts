import type { Session } from '../../../contract/tracing/sessions.ts';
import { costSum } from '../runs/cost.ts';
import type { TracingServices } from './services.ts';

/** Adds to a project the statistics of its traces. */
export async function withStats(
  { read }: Pick<TracingServices, 'read'>,
  workspaceId: string,
  session: Session,
  since?: string,
): Promise<Session> {
  const query = { session: [session.id], is_root: true, start_time: since };
  const { '': stats } = await read('runStats', { workspaceId, query });
  return {
    ...session,
    ...stats,
    total_cost: costSum(stats?.total_cost),
    prompt_cost: costSum(stats?.prompt_cost),
    completion_cost: costSum(stats?.completion_cost),
  };
}
