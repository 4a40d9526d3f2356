import type { otlp } from '../../../contract/tracing/otlp.ts';
import { readBytes } from '../../http/body.ts';
import { keyIdOf, projectsOf } from '../../http/caller.ts';
import { invalid } from '../../http/errors.ts';
import type { Handlers } from '../../http/router.ts';
import { decodeSpans } from '../otlp/decode.ts';
import { type SpanRun, spanToRun } from '../otlp/span-to-run.ts';
import { findHider, type HideMembers } from '../services/hidden-members.ts';
import type { TracingServices } from '../services/services.ts';

const MAX_BODY_BYTES = 64 * 1024 * 1024;

/**
 * OTLP over HTTP, protobuf or JSON, at most 64 MiB: spans become runs. Spans that were refused are counted in
 * `partialSuccess`, with status 200 as OpenTelemetry has it, 422 when none could be read.
 * @param fallback the project of spans that name none.
 */
export function otlpHandlers(services: TracingServices, fallback?: string): Handlers<typeof otlp> {
  const { write, publish, limits } = services;
  return {
    traces: async ({ request, headers, caller }, response) => {
      limits.many.take(keyIdOf(caller) ?? caller.workspaceId);
      const { workspaceId } = caller;
      const contentType = headers['content-type'] ?? '';
      const decoded = await decodeSpans(await readBytes(request, MAX_BODY_BYTES), contentType);
      if (decoded.spans.length === 0 && decoded.refused.length > 0) {
        throw invalid(['body', 'resourceSpans'], decoded.refused.join(' '), 'otlp');
      }
      const header = headers['langsmith-project'];
      const projects = projectsOf(caller);
      const [only, ...others] = projects ?? [];
      // A key for one project sends to it, unless the sender says otherwise.
      const usual = others.length === 0 ? (only ?? fallback) : fallback;
      const project = typeof header === 'string' && header !== '' ? header : usual;
      const hide = await findHider(services, caller);
      const { refused, changes } = await write('ingestSpans', {
        workspaceId,
        projects,
        spans: decoded.spans.map((span) => hideMembers(spanToRun(span, project), hide)),
      });
      publish(workspaceId, changes);
      const problems = [...decoded.refused, ...refused.map(({ message }) => message)];
      const answer =
        problems.length === 0
          ? {}
          : { partialSuccess: { rejectedSpans: problems.length, errorMessage: problems.join('; ') } };
      if (!contentType.includes('protobuf')) response.end(JSON.stringify(answer));
      else {
        const { exportResponseType } = await import('../otlp/protobuf.ts');
        const type = exportResponseType();
        response.writeHead(200, { 'content-type': 'application/x-protobuf' });
        response.end(type.encode(type.fromObject(answer)).finish());
      }
    },
  };
}

function hideMembers(run: SpanRun, hide: HideMembers | undefined): SpanRun {
  return hide === undefined
    ? run
    : JSON.parse(Buffer.from(hide(Buffer.from(JSON.stringify(run)))).toString());
}
