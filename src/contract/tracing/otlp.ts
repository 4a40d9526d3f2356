import { endpoint } from '../endpoint.ts';

/** The path that they send spans to. */
export const OTLP_TRACES_PATH = '/v1/traces';

/** OpenTelemetry: OTLP over HTTP, protobuf or JSON; spans become runs. */
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
};
