import type { Session } from '../../../contract/tracing/sessions.ts';
import { costSumText } from '../runs/cost-text.ts';
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
    total_cost: costSumText(stats?.total_cost),
    prompt_cost: costSumText(stats?.prompt_cost),
    completion_cost: costSumText(stats?.completion_cost),
  };
}
