import type { runs } from '../../../contract/tracing/runs.ts';
import { JsonText, jsonObject } from '../../http/reply.ts';
import type { Handlers } from '../../http/router.ts';
import type { TracingServices } from '../services.ts';

type Reading = Pick<Handlers<typeof runs>, 'get' | 'query' | 'tree' | 'attachment'>;

export function queryHandlers({ read }: TracingServices): Reading {
  return {
    get: async ({ params, caller }) =>
      new JsonText(await read('readRun', { workspaceId: caller.workspaceId, runId: params.run_id })),
    query: async ({ body, caller }) => {
      const { runs, next } = await read('queryRuns', { workspaceId: caller.workspaceId, query: body });
      return jsonObject({ cursors: { next, prev: null }, parsed_query: body.filter ?? null }, { runs });
    },
    tree: ({ params, caller }) =>
      read('traceTree', { workspaceId: caller.workspaceId, traceId: params.trace_id }),
    attachment: async ({ params, caller }, response) => {
      const { contentType, bytes } = await read('readAttachment', {
        workspaceId: caller.workspaceId,
        runId: params.run_id,
        name: params.name,
      });
      // What somebody attached is never run as a page of this origin.
      response
        .writeHead(200, {
          'content-type': contentType,
          'content-length': bytes.length,
          'content-security-policy': 'sandbox',
          'x-content-type-options': 'nosniff',
        })
        .end(bytes);
    },
  };
}
