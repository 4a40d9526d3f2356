import type { otlp } from '../../../contract/tracing/otlp.ts';
import { readBytes } from '../../http/body.ts';
import { invalid } from '../../http/errors.ts';
import type { Handlers } from '../../http/router.ts';
import type { TracingServices } from '../services.ts';
import { decodeSpans, type Span } from './decode.ts';
import { spanToRun } from './span-to-run.ts';

const LARGEST_BODY = 64 * 1024 * 1024;

export function otlpHandlers({ write, publish }: TracingServices): Handlers<typeof otlp> {
  return {
    traces: async ({ request, headers, caller: { workspaceId } }, response) => {
      const contentType = headers['content-type'] ?? '';
      const spans = await decodeSpans(await readBytes(request, LARGEST_BODY), contentType);
      for (const span of spans) checkIds(span);
      const header = headers['langsmith-project'];
      const project = typeof header === 'string' && header !== '' ? header : undefined;
      const { refused, changes } = await write('ingestSpans', {
        workspaceId,
        spans: spans.map((span) => spanToRun(span, project)),
      });
      publish(workspaceId, changes);
      const isProtobuf = contentType.includes('protobuf');
      // An empty message of protobuf has no bytes: everything was taken.
      if (isProtobuf) response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
      else if (refused.length === 0) response.end('{}');
      else {
        const errorMessage = refused.map(({ message }) => message).join('; ');
        response.end(JSON.stringify({ partialSuccess: { rejectedSpans: refused.length, errorMessage } }));
      }
    },
  };
}

/** @throws HttpError 422 */
function checkIds({ traceId, spanId, name }: Span): void {
  if (/^[0-9a-f]{32}$/i.test(traceId) && /^[0-9a-f]{16}$/i.test(spanId)) return;
  throw invalid(
    ['body', 'resourceSpans'],
    `Span '${name}' needs a traceId of 16 bytes and a spanId of 8 bytes, in hexadecimal.`,
    'otlp',
  );
}
