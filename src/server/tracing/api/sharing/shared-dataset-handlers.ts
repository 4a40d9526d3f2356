import { z } from 'zod';
import { ExamplesQuery } from '../../../../contract/datasets/examples.ts';
import { type Session, SessionsQuery } from '../../../../contract/tracing/sessions.ts';
import type { sharing } from '../../../../contract/tracing/sharing.ts';
import type { Handlers } from '../../../http/router.ts';
import type { TracingServices } from '../../services/services.ts';
import { withStats } from '../../services/session-stats.ts';

type SharedDatasetName = 'sharedDataset' | 'sharedExamples' | 'sharedSessions' | 'sharedComparisons';

/** Handlers for a shared dataset, and for the names and statistics of the experiments on it if these are shared. */
export function sharedDatasetHandlers(
  services: TracingServices,
): Pick<Handlers<typeof sharing>, SharedDatasetName> {
  const { read } = services;
  const openDataset = (token: string) => read('openShare', { token, kind: 'dataset' });
  return {
    sharedDataset: async ({ params }) => {
      const { workspaceId, target } = await openDataset(params.share_token);
      return read('getDataset', { workspaceId, datasetId: target });
    },
    sharedExamples: async ({ params, query: { id, limit, offset } }) => {
      const { workspaceId, target } = await openDataset(params.share_token);
      const query = {
        ...ExamplesQuery.parse({ dataset: target }),
        id,
        limit,
        offset,
        include_deleted: false,
      };
      const examples = await read('listExamples', { workspaceId, query });
      // Examples that are requested by ID are found even if they have been deleted.
      return examples.filter(({ deleted }) => deleted !== true);
    },
    sharedSessions: async ({ params, query }) => {
      const { workspaceId, target, hasProjects } = await openDataset(params.share_token);
      if (!hasProjects) return [];
      const { sessions } = await read('listSessions', {
        workspaceId,
        query: { ...SessionsQuery.parse({}), ...query, reference_dataset: [target] },
      });
      return Promise.all(
        sessions.map(async (session) => withoutTexts(await withStats(services, workspaceId, session))),
      );
    },
    sharedComparisons: async ({ params, query }) => {
      const { workspaceId, target, hasProjects } = await openDataset(params.share_token);
      return hasProjects ? read('listComparisons', { workspaceId, datasetId: target, ...query }) : [];
    },
  };
}

/** An experiment with only the numbers of its feedback, without text that people wrote. */
function withoutTexts(session: Session): Session {
  const stats = FeedbackStats.safeParse(session.feedback_stats);
  // An experiment without feedback has no statistics.
  if (!stats.success) return { ...session, feedback_stats: null };
  const entries = Object.entries(stats.data).map(([key, numbers]) => [
    key,
    { ...numbers, values: {}, comments: [], sources: [] },
  ]);
  return { ...session, feedback_stats: Object.fromEntries(entries) };
}

const FeedbackStats = z.record(z.string(), z.looseObject({}));
