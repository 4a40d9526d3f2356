import { endpoint } from '../endpoint.ts';

/** OTLP over HTTP, in protobuf or JSON. Spans become runs, and log records of GenAI events join them. */
export const otlp = {
  traces: endpoint({
    kind: 'raw',
    method: 'POST',
    path: '/otel/v1/traces',
    summary: 'Send spans as OTLP; the Langsmith-Project header sets the project',
    credentials: 'api-key',
    right: 'trace',
    contentType: 'application/json',
  }),
  logs: endpoint({
    kind: 'raw',
    method: 'POST',
    path: '/otel/v1/logs',
    summary: 'Send log records as OTLP; GenAI events join their spans',
    credentials: 'api-key',
    right: 'trace',
    contentType: 'application/json',
  }),
};
