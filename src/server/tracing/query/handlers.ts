import type { ServerResponse } from 'node:http';
import type { RunsQuery, runs } from '../../../contract/tracing/runs.ts';
import { JsonText, jsonObject } from '../../http/reply.ts';
import type { Handlers } from '../../http/router.ts';
import type { TracingServices } from '../services.ts';

type Reading = Pick<
  Handlers<typeof runs>,
  'get' | 'query' | 'stats' | 'tree' | 'attachment' | 'signedAttachment'
>;

export function queryHandlers({ read, write }: TracingServices): Reading {
  return {
    get: async ({ params, query, caller: { workspaceId } }) =>
      new JsonText(await read('readRun', { workspaceId, runId: params.run_id, sessionId: query.session_id })),
    query: async ({ body, caller }) => {
      // The full-text index follows what is stored; whoever searches waits for it.
      if (searches(body)) await write('indexWords', { budgetMs: INDEX_MS });
      const query = body.select?.length ? { ...body, select: [...ALWAYS, ...body.select] } : body;
      const { runs, next } = await read('queryRuns', { workspaceId: caller.workspaceId, query });
      return jsonObject({ cursors: { next, prev: null }, parsed_query: body.filter ?? null }, { runs });
    },
    stats: async ({ body, caller }) => {
      const stats = await read('runStats', { workspaceId: caller.workspaceId, query: body });
      return body.group_by || body.interval ? stats : (stats[''] ?? {});
    },
    tree: ({ params, caller }) =>
      read('traceTree', { workspaceId: caller.workspaceId, traceId: params.trace_id }),
    attachment: async ({ params, caller }, response) => {
      const { contentType, bytes } = await read('readAttachment', {
        workspaceId: caller.workspaceId,
        runId: params.run_id,
        name: params.name,
      });
      sendAttachment(response, contentType, bytes);
    },
    signedAttachment: async ({ params }, response) => {
      const { contentType, bytes } = await read('openAttachment', { token: params.token });
      sendAttachment(response, contentType, bytes);
    },
  };
}

/** Fields without which clients take nothing for a run, selected or not (public facts, `RunSchema`). */
const ALWAYS = [
  'id',
  'name',
  'run_type',
  'status',
  'start_time',
  'trace_id',
  'dotted_order',
  'session_id',
  'app_path',
];

const INDEX_MS = 1000;

function searches(query: RunsQuery): boolean {
  if (query.query) return true;
  return [query.filter, query.trace_filter, query.tree_filter, query.search_filter].some((filter) =>
    filter?.includes('search'),
  );
}

/** What somebody attached is never run as a page of this origin. */
function sendAttachment(response: ServerResponse, contentType: string, bytes: Uint8Array): void {
  response
    .writeHead(200, {
      'content-type': contentType,
      'content-length': bytes.length,
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    })
    .end(bytes);
}
