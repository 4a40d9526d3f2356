import type { sharing, sharingV2 } from '../../../../contract/tracing/sharing.ts';
import { JsonText, jsonObject } from '../../../http/reply.ts';
import type { Handlers } from '../../../http/router.ts';
import { fieldsOf, toV2Runs } from '../query/v2-form.ts';
import type { SharedTraces } from './shared-traces.ts';

type SharedTraceName = 'sharedRoot' | 'sharedRun' | 'sharedRuns' | 'querySharedRuns';

/** Handlers for a shared trace. */
export function sharedTraceHandlers(traces: SharedTraces): Pick<Handlers<typeof sharing>, SharedTraceName> {
  return {
    sharedRoot: async ({ params }) => new JsonText((await traces.readRoot(params.share_token)).slice(1, -1)),
    sharedRun: async ({ params }) =>
      new JsonText((await traces.readRun(params.share_token, params.run_id)).slice(1, -1)),
    sharedRuns: async ({ params, query }) =>
      new JsonText(await traces.readRuns(params.share_token, { id: query.id })),
    querySharedRuns: async ({ params, body }) =>
      jsonObject(
        { cursors: { next: null, prev: null } },
        { runs: await traces.readRuns(params.share_token, body) },
      ),
  };
}

/** Handlers for a shared trace in the v2 form. */
export function sharedTraceV2Handlers(
  traces: SharedTraces,
): Pick<Handlers<typeof sharingV2>, 'sharedRun' | 'querySharedRuns'> {
  return {
    sharedRun: async ({ params, query }) => {
      const run = await traces.readRun(params.share_token, params.run_id, fieldsOf(query.selects));
      return new JsonText(toV2Runs(run).slice(1, -1));
    },
    querySharedRuns: async ({ params, body }) => {
      const runs = await traces.readRuns(params.share_token, { select: fieldsOf(body.selects) });
      return jsonObject({}, { items: toV2Runs(runs) });
    },
  };
}
