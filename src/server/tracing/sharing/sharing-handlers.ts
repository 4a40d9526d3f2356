import { z } from 'zod';
import { ExamplesQuery } from '../../../contract/datasets/examples.ts';
import { RunsQuery } from '../../../contract/tracing/runs.ts';
import { type Session, SessionsQuery } from '../../../contract/tracing/sessions.ts';
import type { sharing, sharingV2 } from '../../../contract/tracing/sharing.ts';
import { notFound } from '../../http/errors.ts';
import { JsonText, jsonObject } from '../../http/reply.ts';
import type { Handlers } from '../../http/router.ts';
import { fieldsOf, inV2Form } from '../query/v2-form.ts';
import type { TracingServices } from '../services.ts';
import { withStats } from '../sessions/session-stats.ts';

/**
 * Sharing, and reading what is shared. Whoever has a token is held to its trace or dataset by every query, and to the
 * names and numbers of the experiments on it where these are shared; feedback and other traces stay out of reach.
 */
export function sharingHandlers(services: TracingServices) {
  const { read, write } = services;
  const openTrace = (token: string) => read('openShare', { token, kind: 'trace' });
  const openDataset = (token: string) => read('openShare', { token, kind: 'dataset' });

  /** Runs of the shared trace. */
  async function sharedRuns(token: string, asked: Partial<RunsQuery>): Promise<string> {
    const { workspaceId, target } = await openTrace(token);
    const query = { ...RunsQuery.parse({ order: 'asc' }), ...asked, session: undefined, trace: target };
    return (await read('queryRuns', { workspaceId, query, withoutFeedback: true })).runs;
  }

  async function sharedRun(token: string, runId: string, select?: readonly string[]): Promise<string> {
    const runs = await sharedRuns(token, {
      id: [runId],
      select: select === undefined ? undefined : [...select],
    });
    if (runs === '[]') throw notFound('Run', runId);
    return runs;
  }

  const first: Handlers<typeof sharing> = {
    readRunShare: ({ params, caller: { workspaceId } }) =>
      read('readRunShare', { workspaceId, runId: params.run_id }),
    shareRun: ({ params, body, caller: { workspaceId } }) =>
      write('shareRun', { workspaceId, runId: params.run_id, token: body.share_token ?? undefined }),
    unshareRun: async ({ params, caller: { workspaceId } }) => {
      await write('unshareRun', { workspaceId, runId: params.run_id });
      return { message: 'The trace is no longer shared' };
    },
    readDatasetShare: ({ params, caller: { workspaceId } }) =>
      read('readDatasetShare', { workspaceId, datasetId: params.dataset_id }),
    shareDataset: ({ params, body, query, caller: { workspaceId } }) =>
      write('shareDataset', {
        workspaceId,
        datasetId: params.dataset_id,
        token: body.share_token ?? undefined,
        withProjects: query.share_projects,
      }),
    unshareDataset: async ({ params, caller: { workspaceId } }) => {
      await write('unshareDataset', { workspaceId, datasetId: params.dataset_id });
      return { message: 'The dataset is no longer shared' };
    },
    sharedRoot: async ({ params }) => {
      const { target, runId } = await openTrace(params.share_token);
      return new JsonText((await sharedRun(params.share_token, runId ?? target)).slice(1, -1));
    },
    sharedRun: async ({ params }) =>
      new JsonText((await sharedRun(params.share_token, params.run_id)).slice(1, -1)),
    sharedRuns: async ({ params, query }) =>
      new JsonText(await sharedRuns(params.share_token, { id: query.id })),
    querySharedRuns: async ({ params, body }) =>
      jsonObject(
        { cursors: { next: null, prev: null } },
        { runs: await sharedRuns(params.share_token, body) },
      ),
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
        sessions.map(async (session) => withoutComments(await withStats(services, workspaceId, session))),
      );
    },
    sharedComparisons: async ({ params, query }) => {
      const { workspaceId, target, hasProjects } = await openDataset(params.share_token);
      return hasProjects ? read('listComparisons', { workspaceId, datasetId: target, ...query }) : [];
    },
  };

  const second: Handlers<typeof sharingV2> = {
    share: ({ params, caller: { workspaceId } }) =>
      write('shareRun', { workspaceId, runId: params.run_id, token: undefined }),
    unshare: async ({ params, caller: { workspaceId } }) => {
      await write('unshareRun', { workspaceId, runId: params.run_id });
      return undefined;
    },
    sharedRun: async ({ params, query }) => {
      const run = await sharedRun(params.share_token, params.run_id, fieldsOf(query.selects));
      return new JsonText(inV2Form(run).slice(1, -1));
    },
    querySharedRuns: async ({ params, body }) => {
      const runs = await sharedRuns(params.share_token, { select: fieldsOf(body.selects) });
      return jsonObject({}, { items: inV2Form(runs) });
    },
  };
  return { first, second };
}

/** The numbers of an experiment's feedback, without what people wrote. */
function withoutComments(session: Session): Session {
  const stats = FeedbackStats.safeParse(session.feedback_stats);
  if (!stats.success) return { ...session, feedback_stats: null };
  const entries = Object.entries(stats.data).map(([key, numbers]) => [
    key,
    { ...numbers, comments: [], sources: [] },
  ]);
  return { ...session, feedback_stats: Object.fromEntries(entries) };
}

const FeedbackStats = z.record(z.string(), z.looseObject({}));
