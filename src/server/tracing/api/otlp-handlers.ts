import type { IncomingMessage, ServerResponse } from 'node:http';
import type { otlp } from '../../../contract/tracing/otlp.ts';
import { readBytes } from '../../http/body.ts';
import { type Caller, limitedAs, projectsOf } from '../../http/caller.ts';
import { invalid } from '../../http/errors.ts';
import type { Handlers } from '../../http/router.ts';
import { decodeSpans } from '../otlp/decode.ts';
import { decodeLogs } from '../otlp/decode-logs.ts';
import { spanToRun } from '../otlp/span-to-run.ts';
import { findHider, type HideMembers } from '../services/hidden-members.ts';
import { requireRoom } from '../services/ingestion-room.ts';
import type { TracingServices } from '../services/services.ts';
import { onlyProject } from '../sessions/writable-projects.ts';

const MAX_BODY_BYTES = 64 * 1024 * 1024;

/**
 * OTLP over HTTP, protobuf or JSON, at most 64 MiB: spans become runs, and log records of GenAI events join them.
 * Refused spans and records are counted in `partialSuccess`, with status 200 as OpenTelemetry requires. The status is
 * 422 if nothing could be read.
 * @param fallback the name of the project of spans that name none.
 */
export function otlpHandlers(services: TracingServices, fallback?: string): Handlers<typeof otlp> {
  const { write, publish, limits, takeIngestion } = services;

  /** Counts a request, and reads its body. @throws HttpError 413 or 429 over a limit. */
  async function receive(request: IncomingMessage, caller: Caller): Promise<Buffer> {
    limits.many.take(limitedAs(caller));
    const limit = await takeIngestion(caller.workspaceId);
    const bytes = await readBytes(request, MAX_BODY_BYTES);
    requireRoom(bytes.length, limit);
    return bytes;
  }

  return {
    traces: async ({ request, headers, caller }, response) => {
      const { workspaceId } = caller;
      const contentType = headers['content-type'] ?? '';
      const bytes = await receive(request, caller);
      const decoded = await decodeSpans(bytes, contentType);
      if (decoded.spans.length === 0 && decoded.refused.length > 0) {
        throw invalid(['body', 'resourceSpans'], decoded.refused.join(' '), 'otlp');
      }
      const header = headers['langsmith-project'];
      const projects = projectsOf(caller);
      const named = typeof header === 'string' && header !== '' ? header : undefined;
      // Spans sent with a key for one project go to that project, unless the sender says otherwise.
      const project = named ?? onlyProject(projects) ?? fallback;
      const hide = await findHider(services, caller);
      const spans = decoded.spans.map((span) => hideMembers(spanToRun(span, project), hide));
      const { refused, changes } = await write('ingestSpans', { workspaceId, projects, spans });
      publish(workspaceId, changes);
      const problems = [...decoded.refused, ...refused.map(({ message }) => message)];
      await answer(response, contentType, { kind: 'traces', problems });
    },
    logs: async ({ request, headers, caller }, response) => {
      const { workspaceId } = caller;
      const contentType = headers['content-type'] ?? '';
      const bytes = await receive(request, caller);
      const decoded = await decodeLogs(bytes, contentType);
      if (decoded.logs.length === 0 && decoded.refused.length > 0) {
        throw invalid(['body', 'resourceLogs'], decoded.refused.join(' '), 'otlp');
      }
      const hide = await findHider(services, caller);
      const logs = decoded.logs.map((log) => hideMembers(log, hide));
      const projects = projectsOf(caller);
      const { refused, changes } =
        logs.length === 0
          ? { refused: [], changes: [] }
          : await write('ingestLogs', { workspaceId, projects, logs });
      publish(workspaceId, changes);
      const problems = [...decoded.refused, ...refused.map(({ message }) => message)];
      await answer(response, contentType, { kind: 'logs', problems });
    },
  };
}

/** Answers in the format of the request. Each problem is counted, and each message is sent once. */
async function answer(
  response: ServerResponse,
  contentType: string,
  { kind, problems }: { readonly kind: 'traces' | 'logs'; readonly problems: readonly string[] },
): Promise<void> {
  const count = kind === 'logs' ? 'rejectedLogRecords' : 'rejectedSpans';
  const message =
    problems.length === 0
      ? {}
      : { partialSuccess: { [count]: problems.length, errorMessage: [...new Set(problems)].join('; ') } };
  if (!contentType.includes('protobuf')) {
    response.end(JSON.stringify(message));
    return;
  }
  const { logsResponseType, tracesResponseType } = await import('../otlp/protobuf.ts');
  const type = kind === 'logs' ? logsResponseType() : tracesResponseType();
  response.writeHead(200, { 'content-type': 'application/x-protobuf' });
  response.end(type.encode(type.fromObject(message)).finish());
}

/** Removes the secrets of the sender's deployment from a span or log record. */
function hideMembers<Sent>(sent: Sent, hide: HideMembers | undefined): Sent {
  return hide === undefined
    ? sent
    : JSON.parse(Buffer.from(hide(Buffer.from(JSON.stringify(sent)))).toString());
}
