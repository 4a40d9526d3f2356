import type { ServerResponse } from 'node:http';
import type { runs } from '../../../../contract/tracing/runs.ts';
import { JsonText, jsonObject } from '../../../http/reply.ts';
import type { Handlers } from '../../../http/router.ts';
import { parseStored } from '../../../storage/stored-json.ts';
import { chatOfRun } from '../../runs/chat-messages.ts';
import { queryRuns, runStats } from '../../services/read-runs.ts';
import type { TracingServices } from '../../services/services.ts';

type Reading = Pick<
  Handlers<typeof runs>,
  'get' | 'query' | 'stats' | 'tree' | 'attachment' | 'signedAttachment'
>;

/**
 * Handlers that read runs, traces, statistics and attachments in API v1 (docs/interface/tracing.md#queries). 404 for
 * another workspace's data, 422 locating an error in a filter. Signed links to attachments need no key.
 */
export function queryHandlers(services: TracingServices): Reading {
  const { read } = services;
  return {
    get: async ({ params, query, caller: { workspaceId } }) => {
      const request = { workspaceId, runId: params.run_id, sessionId: query.session_id };
      const run = await read('readRun', request);
      if (!query.include_messages) return new JsonText(run);
      const parsed = parseStored<Record<string, unknown>>(run);
      return new JsonText(JSON.stringify({ ...parsed, messages: chatOfRun(parsed) }));
    },
    query: async ({ body, caller }) => {
      const query = body.select?.length ? { ...body, select: addRequired(body.select) } : body;
      const { runs, next } = await queryRuns(services, { workspaceId: caller.workspaceId, query });
      return jsonObject({ cursors: { next, prev: null }, parsed_query: body.filter ?? null }, { runs });
    },
    stats: async ({ body, caller }) => {
      const stats = await runStats(services, { workspaceId: caller.workspaceId, query: body });
      // Without groups, all statistics are under the empty name.
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

/**
 * Fields that clients require of every run
 * (docs/interface/tracing.md#runs-in-responses).
 */
const REQUIRED = [
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

/** The details that clients expect in addition to the sums, although they select only the sums. */
const DETAILS_OF: ReadonlyMap<string, string> = new Map([
  ['prompt_tokens', 'prompt_token_details'],
  ['completion_tokens', 'completion_token_details'],
  ['prompt_cost', 'prompt_cost_details'],
  ['completion_cost', 'completion_cost_details'],
]);

/**
 * Adds the fields that clients require. Older clients, and the JavaScript one, select whole runs without naming
 * attachments.
 */
function addRequired(select: readonly string[]): string[] {
  const isWhole = select.includes('inputs') && select.includes('outputs');
  const details = select.flatMap((name) => DETAILS_OF.get(name) ?? []);
  return [...REQUIRED, ...select, ...details, ...(isWhole ? ['s3_urls'] : [])];
}

/** The characters allowed in a header: the sender of an attachment may have named any type. */
const HEADER_SAFE = /^[\x20-\x7e]+$/;

/** Sends an attachment so that it can never run as a page of this origin. */
function sendAttachment(response: ServerResponse, contentType: string, bytes: Uint8Array): void {
  response
    .writeHead(200, {
      'content-type': HEADER_SAFE.test(contentType) ? contentType : 'application/octet-stream',
      'content-length': bytes.length,
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    })
    .end(bytes);
}
