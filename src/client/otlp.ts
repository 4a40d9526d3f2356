import { z } from 'zod';
import { otlp as endpoints } from '../contract/tracing/otlp.ts';
import { platformAddress } from './connection.ts';
import { readShortText } from './read-body.ts';
import type { CallOptions, Transport } from './transport.ts';

const Count = z.union([z.string(), z.number()]).nullish();
const Answer = z.looseObject({
  partialSuccess: z
    .looseObject({ rejectedSpans: Count, rejectedLogRecords: Count, errorMessage: z.string().nullish() })
    .nullish(),
});
/** Says how many spans or log records were refused, and why. */
export type OtlpAnswer = z.output<typeof Answer>;

/** OpenTelemetry as JSON. */
export interface Otlp {
  traces(body: { readonly resourceSpans: readonly object[] }, options?: CallOptions): Promise<OtlpAnswer>;
  logs(body: { readonly resourceLogs: readonly object[] }, options?: CallOptions): Promise<OtlpAnswer>;
}

/** @param baseUrl of the platform */
export function otlp(transport: Transport, baseUrl: string): Otlp {
  const send = (path: string, body: object, options: CallOptions = {}) =>
    transport.send(
      {
        ...{ method: 'POST', path, url: platformAddress(baseUrl, path), accept: 'application/json' },
        ...{ body: JSON.stringify(body), options },
      },
      async (answer) => {
        const text = await readShortText(answer.body);
        return Answer.parse(text === '' ? {} : JSON.parse(text));
      },
    );
  return {
    traces: (body, options) => send(endpoints.traces.path, body, options),
    logs: (body, options) => send(endpoints.logs.path, body, options),
  };
}
