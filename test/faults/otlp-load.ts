import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { tracesRequestType } from '../../src/server/tracing/otlp/protobuf.ts';

/** Exporters send ended spans at this interval; those of a short run more often. */
const FLUSH_MS = 5_000;
/** Spans are shown after two minutes at the latest, and waiting ones are checked every half minute. */
const SHOWN_WITHIN_MS = 200_000;
const STAND_INS = ['Root span (not received yet)', 'Root span (not received)'];

/** In which order the spans of a run are sent. */
const ORDERS = [
  /** The order in which OpenTelemetry sends: each span when it ends, the root last. */
  'ended',
  'started',
  'root in between',
  'shuffled',
  /** All together, shuffled. */
  'at once',
  /** Another service began the trace, and sends its spans elsewhere. */
  'without root',
] as const;
type Order = (typeof ORDERS)[number];

interface LedgerSpan {
  readonly id: string;
  readonly parent: string | undefined;
  readonly name: string;
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  /** The times at which it is sent, in milliseconds since its run began. */
  readonly sentAt: number[];
  acknowledgedAt: number | undefined;
}

interface LedgerRun {
  readonly trace: string;
  readonly order: Order;
  readonly isProtobuf: boolean;
  readonly beganAt: number;
  readonly lengthMs: number;
  readonly spans: readonly LedgerSpan[];
}

export interface Target {
  /** A request with the server's key; it may fail while the server is down. */
  fetch(
    route: string,
    init?: { method?: string; headers?: Record<string, string>; body?: Uint8Array },
  ): Promise<Response>;
}

const Stored = z.object({
  runs: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      parent_run_id: z.string().nullable(),
      dotted_order: z.string(),
      inputs: z.looseObject({ text: z.string().optional() }),
    }),
  ),
});
type StoredRun = z.output<typeof Stored>['runs'][number];

/** Runs of agents that are traced by OpenTelemetry, and the ledger of the spans that were acknowledged. */
export class OtlpLoad {
  readonly #target: Target;
  readonly #below: (below: number) => number;
  readonly runs: LedgerRun[] = [];
  acknowledged = 0;
  sentAgain = 0;
  failedRequests = 0;

  /** @param below draws a number. */
  constructor(target: Target, below: (below: number) => number) {
    this.#target = target;
    this.#below = below;
  }

  /** Traces a run of this length. @returns once every span of it was acknowledged. */
  async trace(lengthMs: number): Promise<void> {
    const run = this.#newRun(lengthMs);
    this.runs.push(run);
    const toSend = run.spans
      .flatMap((span) => span.sentAt.map((at) => ({ span, at })))
      .sort((a, b) => a.at - b.at);
    while (toSend.length > 0) {
      const now = Date.now() - run.beganAt;
      const due = toSend.filter(({ at }) => at <= now);
      if (
        due.length > 0 &&
        (await this.#send(
          run,
          due.map(({ span }) => span),
        ))
      ) {
        for (const { span } of due) this.#note(span);
        toSend.splice(0, due.length);
      }
      await delay(Math.min(FLUSH_MS, 250 + lengthMs / 5));
    }
  }

  /**
   * Checks the trees of runs whose spans were all acknowledged, and in other runs that acknowledged spans are shown in
   * time.
   */
  async check(runs: readonly LedgerRun[] = this.runs): Promise<void> {
    for (const run of runs) await this.#check(run);
  }

  /** Checks some runs whose spans are still arriving. @returns how many */
  async checkUnderWay(): Promise<number> {
    const underWay = this.runs.filter(({ spans }) => spans.some((span) => span.acknowledgedAt === undefined));
    for (const run of underWay) await this.#check(run);
    return underWay.length;
  }

  #note(span: LedgerSpan): void {
    if (span.acknowledgedAt === undefined) this.acknowledged++;
    else this.sentAgain++;
    span.acknowledgedAt ??= Date.now();
  }

  #newRun(lengthMs: number): LedgerRun {
    const draw = this.#below;
    const order = ORDERS[draw(ORDERS.length * 4) % ORDERS.length] ?? 'ended';
    const trace = this.#hex(16);
    const beganAt = Date.now();
    const isRepeated = draw(3) === 0;
    const spans: LedgerSpan[] = [];
    for (let at = 0, count = 2 + draw(30); at < count; at++) {
      const parent = spans[draw(at)];
      const [from, to] = parent === undefined ? [0, lengthMs] : [parent.startMs, parent.endMs];
      const startMs = at === 0 ? 0 : from + draw(Math.max(1, (to - from) * 0.6));
      const endMs = at === 0 ? lengthMs : startMs + draw(Math.max(1, to - startMs));
      const isRoot = at === 0;
      const sentAt = isRoot && order === 'without root' ? [] : [sendAt(order, { isRoot, startMs, endMs })];
      if (isRepeated && sentAt.length > 0 && draw(3) === 0) sentAt.push(draw(lengthMs));
      const id = this.#hex(8);
      spans.push({
        ...{ id, parent: parent?.id, startMs, endMs, sentAt },
        ...{ name: `span ${at}`, text: `${id} of ${trace}`, acknowledgedAt: undefined },
      });
    }
    return {
      trace,
      order,
      isProtobuf: draw(2) === 0,
      beganAt,
      lengthMs,
      spans: spans.filter(({ sentAt }) => sentAt.length > 0),
    };

    function sendAt(
      how: Order,
      { isRoot, startMs, endMs }: { isRoot: boolean; startMs: number; endMs: number },
    ): number {
      if (how === 'started') return startMs;
      if (how === 'at once') return lengthMs;
      if (how === 'shuffled') return draw(lengthMs);
      return how === 'root in between' && isRoot ? lengthMs / 2 : endMs;
    }
  }

  #hex(bytes: number): string {
    return Array.from({ length: bytes }, () => this.#below(256).toString(16).padStart(2, '0')).join('');
  }

  /** Sends spans of a run. @returns whether the server acknowledged all of them. */
  async #send(run: LedgerRun, spans: readonly LedgerSpan[]): Promise<boolean> {
    const shuffled = [...spans].sort(() => this.#below(3) - 1);
    let response: Response;
    let answer: string;
    try {
      response = await this.#target.fetch('/otel/v1/traces', {
        method: 'POST',
        headers: {
          'content-type': run.isProtobuf ? 'application/x-protobuf' : 'application/json',
          'langsmith-project': 'otlp campaign',
        },
        body: bodyOf(run, shuffled),
      });
      answer = await response.text();
    } catch {
      this.failedRequests++;
      return false;
    }
    if (response.status >= 500) {
      this.failedRequests++;
      return false;
    }
    assert.equal(response.status, 200, answer);
    assert.ok(answer === '' || answer === '{}', `${run.trace} (${run.order}): ${answer}`);
    return true;
  }

  async #check(run: LedgerRun): Promise<void> {
    const asked = Date.now();
    const response = await this.#target.fetch('/runs/query', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(
        JSON.stringify({
          trace: uuidOf(run.trace),
          limit: 100,
          select: ['id', 'name', 'parent_run_id', 'dotted_order', 'inputs'],
        }),
      ),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    const stored = Stored.parse(JSON.parse(text)).runs;
    const byId = new Map(stored.map((one) => [one.id, one]));
    assert.equal(byId.size, stored.length);
    const isComplete = run.spans.every(({ acknowledgedAt }) => acknowledgedAt !== undefined);
    for (const span of run.spans) {
      const { acknowledgedAt } = span;
      const one = byId.get(this.#idOf(run, span));
      const isRoot = span.parent === undefined;
      if (one === undefined || (isRoot && STAND_INS.includes(one.name))) {
        assert.ok(
          acknowledgedAt === undefined || asked - acknowledgedAt < SHOWN_WITHIN_MS,
          `${span.name} of ${run.trace} (${run.order}, ${run.lengthMs} ms) was acknowledged, and is not there`,
        );
        continue;
      }
      assert.deepEqual([one.name, one.inputs.text], [span.name, span.text]);
      this.#checkPlace(run, span, one, byId);
    }
    const known = new Set([uuidOf(run.trace), ...run.spans.map((span) => this.#idOf(run, span))]);
    assert.deepEqual(
      stored.filter(({ id }) => !known.has(id)),
      [],
    );
    if (
      isComplete &&
      run.spans.every(({ acknowledgedAt = asked }) => asked - acknowledgedAt > SHOWN_WITHIN_MS)
    )
      assert.equal(stored.length, run.spans.length + (run.order === 'without root' ? 1 : 0));
  }

  #checkPlace(run: LedgerRun, span: LedgerSpan, one: StoredRun, byId: ReadonlyMap<string, StoredRun>): void {
    const sent = run.spans.find(({ id }) => id === span.parent);
    const parent = sent && byId.get(this.#idOf(run, sent));
    const root = uuidOf(run.trace);
    const wanted = span.parent === undefined ? null : ((parent && sent && this.#idOf(run, sent)) ?? root);
    assert.equal(
      one.parent_run_id,
      wanted,
      `${span.name} of ${run.trace} (${run.order}) is in another place`,
    );
    const above = one.parent_run_id === null ? '' : `${byId.get(one.parent_run_id)?.dotted_order}.`;
    assert.ok(one.dotted_order.startsWith(above) && one.dotted_order.endsWith(one.id), one.dotted_order);
  }

  #idOf(run: LedgerRun, span: LedgerSpan): string {
    return uuidOf(span.parent === undefined ? run.trace : `${run.trace.slice(0, 16)}${span.id}`);
  }
}

function bodyOf(run: LedgerRun, spans: readonly LedgerSpan[]): Uint8Array {
  const bytes = (hex: string) => (run.isProtobuf ? Buffer.from(hex, 'hex') : hex);
  const nanos = (ms: number) => `${Math.round(run.beganAt + ms)}000000`;
  const request = {
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: spans.map((span) => ({
              traceId: bytes(run.trace),
              spanId: bytes(span.id),
              ...(span.parent === undefined ? {} : { parentSpanId: bytes(span.parent) }),
              name: span.name,
              startTimeUnixNano: nanos(span.startMs),
              endTimeUnixNano: nanos(span.endMs),
              attributes: [
                { key: 'input.value', value: { stringValue: JSON.stringify({ text: span.text }) } },
                { key: 'user.id', value: { stringValue: run.trace } },
              ],
            })),
          },
        ],
      },
    ],
  };
  if (!run.isProtobuf) return Buffer.from(JSON.stringify(request));
  const type = tracesRequestType();
  return type.encode(type.fromObject(request)).finish();
}

function uuidOf(h: string): string {
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-${h.slice(12, 16)}-${h.slice(16, 20)}-${h.slice(20)}`;
}
