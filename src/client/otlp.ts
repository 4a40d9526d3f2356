import { z } from 'zod';
import { otlp as endpoints } from '../contract/tracing/otlp.ts';
import { platformAddress } from './connection.ts';
import { parseAnswer } from './parse-answer.ts';
import { readShortText } from './read-body.ts';
import type { CallOptions, Outgoing, Transport } from './transport.ts';

const Count = z.union([z.string(), z.number()]).nullish();
const Answer = z.looseObject({
  partialSuccess: z
    .looseObject({ rejectedSpans: Count, rejectedLogRecords: Count, errorMessage: z.string().nullish() })
    .nullish(),
});
/** The number of spans or log records that were refused, and the reason. */
type OtlpAnswer = z.output<typeof Answer>;

/** Sends OpenTelemetry data as JSON. */
export interface Otlp {
  traces(body: { readonly resourceSpans: readonly object[] }, options?: CallOptions): Promise<OtlpAnswer>;
  logs(body: { readonly resourceLogs: readonly object[] }, options?: CallOptions): Promise<OtlpAnswer>;
}

/** @param baseUrl the address of the platform */
export function otlp(transport: Transport, baseUrl: string): Otlp {
  const send = (path: string, body: object, options: CallOptions = {}) => {
    const outgoing: Outgoing = {
      method: 'POST',
      path,
      url: platformAddress(baseUrl, path),
      accept: 'application/json',
      body: JSON.stringify(body),
      options,
    };
    return transport.send(outgoing, async (answer) => {
      const text = await readShortText(answer.body);
      return text === '' ? {} : parseAnswer(Answer, text, outgoing, answer);
    });
  };
  return {
    traces: (body, options) => send(endpoints.traces.path, body, options),
    logs: (body, options) => send(endpoints.logs.path, body, options),
  };
}
