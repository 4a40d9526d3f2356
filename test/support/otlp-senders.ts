import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Platform } from './platform.ts';
import { sessionId } from './traces.ts';

type Value = string | number | boolean | object;
export type Attributes = Readonly<Record<string, Value>>;

export interface SentSpan {
  readonly name?: string;
  readonly attributes?: Attributes;
  readonly events?: readonly { readonly name: string; readonly attributes: Attributes }[];
  readonly status?: object;
  /** The name of the instrumentation. */
  readonly scope?: string;
  /** The position in the request of the span that it is below; the first is the root. */
  readonly below?: number;
}

export interface ReadRun {
  readonly id: string;
  readonly parent_run_id: string | null;
  readonly name: string;
  readonly run_type: string;
  readonly status: string;
  readonly error: string | null;
  readonly inputs: Record<string, unknown>;
  readonly outputs: Record<string, unknown> | null;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly total_cost: string | null;
  readonly prompt_token_details: object | null;
  readonly completion_token_details: object | null;
  readonly extra: { metadata: Record<string, unknown>; otel: Record<string, unknown> };
}

/** A random ID of a trace (16 bytes) or a span (8), as OTLP's JSON spells it. */
export const hex = (bytes: number) => randomBytes(bytes).toString('hex');

/** A name that no other project has. */
export const newProject = () => `p-${hex(4)}`;

/** Attributes in the form of OTLP's JSON; objects are values that already have this form. */
export const attributeList = (attributes: Attributes = {}) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));

function anyValue(value: Value): object {
  if (typeof value === 'object') return value;
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** A request with the spans of one trace, in OTLP's JSON. */
export function traceRequest(spans: readonly SentSpan[], resource?: Attributes) {
  const traceId = hex(16);
  const start = BigInt(Date.now()) * 1_000_000n;
  const ids = spans.map(() => hex(8));
  const sent = spans.map(({ name, attributes, events, status, below }, at) => ({
    traceId,
    spanId: ids[at],
    ...(at === 0 ? {} : { parentSpanId: ids[below ?? 0] }),
    name: name ?? `span ${at}`,
    startTimeUnixNano: String(start + BigInt(at) * 1000n),
    endTimeUnixNano: String(start + 100_000_000n),
    attributes: attributeList(attributes),
    ...(status === undefined ? {} : { status }),
    events: (events ?? []).map((event) => ({
      name: event.name,
      timeUnixNano: String(start),
      attributes: attributeList(event.attributes),
    })),
  }));
  const scopeSpans = [...Map.groupBy(sent, (_span, at) => spans[at]?.scope)].map(([name, some]) => ({
    ...(name === undefined ? {} : { scope: { name } }),
    spans: some,
  }));
  return {
    resourceSpans: [
      {
        ...(resource === undefined ? {} : { resource: { attributes: attributeList(resource) } }),
        scopeSpans,
      },
    ],
  };
}

/** Prompt, completion and total. */
export const tokens = ({ prompt_tokens, completion_tokens, total_tokens }: ReadRun) => [
  prompt_tokens,
  completion_tokens,
  total_tokens,
];

/** A program that sends traces over OTLP, and reads the resulting runs. */
export class OtlpSender {
  readonly #platform: Platform;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Sends a request to a project. @param body JSON, or the bytes of a protobuf message */
  async send(project: string, body: object): Promise<void> {
    await this.post(body, { 'langsmith-project': project });
  }

  /** Sends a request whose own content names its project. */
  async post(body: object, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    const isProtobuf = body instanceof Uint8Array;
    const sent = await this.#platform.fetch('/otel/v1/traces', {
      method: 'POST',
      body,
      headers: { ...(isProtobuf ? { 'content-type': 'application/x-protobuf' } : {}), ...headers },
    });
    assert.equal(sent.status, 200);
    if (!isProtobuf) assert.deepEqual(await sent.json(), {});
  }

  /** @returns the runs of a project, in the order in which they began. */
  async runsOf(project: string): Promise<ReadRun[]> {
    const body = { session: [await sessionId(this.#platform, project)], order: 'asc' };
    const found = await this.#platform.fetch('/runs/query', { method: 'POST', body });
    return ((await found.json()) as { runs: ReadRun[] }).runs;
  }

  /** Sends a trace. @returns its runs, in the order in which they were sent. */
  async trace(...spans: SentSpan[]): Promise<ReadRun[]> {
    const project = newProject();
    await this.send(project, traceRequest(spans));
    const runs = await this.runsOf(project);
    assert.equal(runs.length, spans.length);
    return runs;
  }

  /** Sends a trace of one span with these attributes. */
  span(attributes: Attributes): Promise<ReadRun> {
    return this.spanWith({ attributes });
  }

  /** Sends a trace of one span. */
  async spanWith(sent: SentSpan): Promise<ReadRun> {
    const [run] = await this.trace(sent);
    assert.ok(run);
    return run;
  }
}
