import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { formatTime, nowMicros } from '../../../src/server/tracing/database/time.ts';
import { PendingSpans } from '../../../src/server/tracing/otlp/pending-spans.ts';
import { ingestSpans } from '../../../src/server/tracing/otlp/place-spans.ts';
import type { SpanRun } from '../../../src/server/tracing/otlp/span-to-run.ts';
import { random } from '../../faults/random.ts';
import { openTracesWriter } from '../../support/traces-writer.ts';

const hex = (bytes: number) => randomBytes(bytes).toString('hex');
const STAND_IN_NAME = 'Root span (not received yet)';

describe('a trace from OpenTelemetry whose root ends late', () => {
  let writer: Awaited<ReturnType<typeof openTracesWriter>>;
  let trace: string;
  before(async () => {
    writer = await openTracesWriter();
  });
  after(() => writer[Symbol.asyncDispose]());
  beforeEach(() => {
    trace = hex(16);
  });

  function span(name: string, fields: Partial<SpanRun> & { project?: string; end?: boolean } = {}): SpanRun {
    const { project = 'demo', start = nowMicros(), ...rest } = fields;
    return {
      ...{ trace, span: hex(8), parent: undefined, start, runId: undefined, traceId: undefined },
      ...{ parentRunId: undefined, dottedOrder: undefined },
      ...rest,
      fields: {
        ...{ name, run_type: 'chain', session_name: project, start_time: formatTime(start) },
        ...{ end_time: formatTime(start + 1000), inputs: { text: `of ${name}` } },
        ...rest.fields,
      },
    };
  }

  /** Sends spans in one request. @returns why some were refused. */
  function send(...spans: readonly SpanRun[]): string[] {
    const { context } = writer;
    const { refused } = context.db.transaction(() => ingestSpans(context, { workspaceId: 'one', spans }));
    return refused.map(({ message }) => message);
  }

  /** Moves the clock past the time for which spans wait. */
  function waitTooLong(): void {
    const { context } = writer;
    context.db.statement('UPDATE early_spans SET received_at = 1 WHERE run IS NULL').run();
    const pending = new PendingSpans(context);
    while (pending.advance(1000));
    pending.stop();
  }

  interface Stored {
    readonly id: string;
    readonly name: string;
    readonly parent_id: string | null;
    readonly dotted_order: string;
    readonly status: string;
  }

  function stored(): Stored[] {
    const id = `${trace.slice(0, 8)}-${trace.slice(8, 12)}-${trace.slice(12, 16)}-${trace.slice(16, 20)}-${trace.slice(20)}`;
    return writer.context.db
      .statement(
        `SELECT runs.id, name, parent_id, dotted_order, status FROM runs JOIN traces ON traces.key = runs.trace
         WHERE traces.id = ? ORDER BY start_time, name`,
      )
      .all(id) as unknown as Stored[];
  }

  /** The children of each span, by names; every dotted_order is checked. */
  function tree(): Record<string, string | null> {
    const rows = stored();
    return Object.fromEntries(
      rows.map((row) => {
        const parent = rows.find(({ id }) => id === row.parent_id);
        const above = parent === undefined ? '' : `${parent.dotted_order}.`;
        assert.ok(row.dotted_order.startsWith(above) && row.dotted_order.endsWith(row.id), row.dotted_order);
        assert.equal(row.dotted_order.split('.').length, above.split('.').length);
        return [row.name, parent?.name ?? row.parent_id];
      }),
    );
  }

  it('has a stand-in root until the true root comes and takes over its place and run', () => {
    const root = span('agent', { fields: { inputs: { question: 'why' } } });
    const chat = span('chat 1', { parent: root.span });
    assert.deepEqual(send(chat, span('tool 2', { parent: root.span })), []);
    assert.deepEqual(tree(), {});
    waitTooLong();
    assert.deepEqual(tree(), { [STAND_IN_NAME]: null, 'chat 1': STAND_IN_NAME, 'tool 2': STAND_IN_NAME });
    const [standIn] = stored().filter(({ parent_id }) => parent_id === null);
    assert.equal(standIn?.status, 'pending');
    const early = stored().filter(({ parent_id }) => parent_id !== null);

    assert.deepEqual(send(span('chat 3', { parent: root.span })), []);
    assert.equal(tree()['chat 3'], STAND_IN_NAME);
    assert.deepEqual(send(root), []);
    assert.deepEqual(tree(), { agent: null, 'chat 1': 'agent', 'tool 2': 'agent', 'chat 3': 'agent' });
    const now = new Map(stored().map((run) => [run.name, run]));
    assert.deepEqual([now.get('agent')?.id, now.get('agent')?.status], [standIn?.id, 'success']);
    for (const { id, name } of early) assert.equal(now.get(name)?.id, id);
    assert.deepEqual(send(root, chat), []);
    assert.equal(stored().length, 4);
  });

  it('has its project and its start from the true root', () => {
    const root = span('agent', { project: 'of the root' });
    send(span('chat', { parent: root.span, start: root.start + 5_000_000 }));
    waitTooLong();
    send(root);
    const { db } = writer.context;
    const rows = db
      .statement(
        `SELECT runs.name, runs.start_time, own.name AS own, whole.name AS whole FROM runs
         JOIN traces ON traces.key = runs.trace JOIN sessions AS own ON own.key = runs.session
         JOIN sessions AS whole ON whole.key = traces.session
         WHERE runs.id = ?`,
      )
      .all(stored()[0]?.id);
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [{ name: 'agent', start_time: root.start, own: 'of the root', whole: 'of the root' }],
    );
  });

  it('has spans below the root until their own parent comes, then below that with their descendants', () => {
    const root = span('agent');
    const step = span('step', { parent: root.span });
    const chat = span('chat', { parent: step.span });
    send(span('token', { parent: chat.span }), chat);
    waitTooLong();
    assert.deepEqual(tree(), { [STAND_IN_NAME]: null, chat: STAND_IN_NAME, token: 'chat' });
    send(root);
    assert.deepEqual(tree(), { agent: null, chat: 'agent', token: 'chat' });
    send(step);
    assert.deepEqual(tree(), { agent: null, step: 'agent', chat: 'step', token: 'chat' });
  });

  it('is not pending forever when its root does not come, and has the root if that comes even later', () => {
    const root = span('agent');
    send(span('chat', { parent: root.span, fields: { error: 'no luck' } }));
    waitTooLong();
    assert.equal(stored().find(({ parent_id }) => parent_id === null)?.status, 'pending');
    const { db } = writer.context;
    db.statement(`UPDATE early_spans SET received_at = 1 WHERE span = ''`).run();
    waitTooLong();
    const [ended] = stored().filter(({ parent_id }) => parent_id === null);
    assert.deepEqual([ended?.name, ended?.status], ['Root span (not received)', 'error']);
    assert.deepEqual(send(root), []);
    assert.deepEqual(tree(), { agent: null, chat: 'agent' });
    assert.equal(stored().find(({ parent_id }) => parent_id === null)?.status, 'success');
  });

  it('keeps a second root, below the first', () => {
    const [first, second] = [span('first'), span('second', { start: nowMicros() + 1000 })];
    assert.deepEqual([send(first), send(second), send(span('child', { parent: second.span }))], [[], [], []]);
    assert.deepEqual(tree(), { first: null, second: 'first', child: 'second' });
  });

  it('accepts a root that states its own place', () => {
    const id = `${trace.slice(0, 8)}-${trace.slice(8, 12)}-${trace.slice(12, 16)}-${trace.slice(16, 20)}-${trace.slice(20)}`;
    const chosen = { runId: id, traceId: id, dottedOrder: `20260101T000000000000Z${id}` };
    const root = span('agent', { ...chosen, start: Date.UTC(2026, 0, 1) * 1000 });
    send(span('chat', { parent: root.span }));
    waitTooLong();
    assert.deepEqual(send(root), []);
    assert.deepEqual(tree(), { agent: null, chat: 'agent' });
  });

  it('loses no span that was acknowledged and cannot be stored later', () => {
    const root = span('agent');
    const chat = span('chat', { parent: root.span });
    assert.deepEqual(send(chat), []);
    const { context } = writer;
    const id = context.db.transaction(() => {
      // Another sender has a run with this ID.
      const other = span('other', {
        trace: hex(16),
        runId: spanId(chat),
        traceId: spanId(chat),
        dottedOrder: `20260101T000000000000Z${spanId(chat)}`,
        start: Date.UTC(2026, 0, 1) * 1000,
      });
      assert.deepEqual(ingestSpans(context, { workspaceId: 'one', spans: [other] }).refused, []);
      return other.runId;
    });
    assert.deepEqual(send(root), []);
    waitTooLong();
    assert.deepEqual(tree(), { agent: null });
    context.db.statement('DELETE FROM runs WHERE id = ?').run(id);
    assert.deepEqual(send(span('next', { parent: root.span })), []);
    assert.deepEqual(tree(), { agent: null, chat: 'agent', next: 'agent' });
  });

  it('reports what is wrong with a span that waits', () => {
    const future = nowMicros() + 3 * 86_400_000_000;
    const [refusal = ''] = send(span('chat', { parent: hex(8), start: future }));
    assert.match(refusal, /in the future/);
    waitTooLong();
    assert.deepEqual(tree(), {});
  });

  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
    it(`is as it was sent, in whatever order its spans come (${seed})`, () => {
      const below = random(seed);
      const spans = [span('0')];
      for (let at = 1; at < 25; at++) spans.push(span(String(at), { parent: spans[below(at)]?.span ?? '' }));
      const sent = Object.fromEntries(
        spans.map(({ fields, parent }) => [
          fields.name,
          spans.find((one) => one.span === parent)?.fields.name ?? null,
        ]),
      );
      const toSend = [...spans, ...spans.slice(0, 5)];
      const shuffled = toSend.map((one) => ({ one, key: below(1e9) })).sort((a, b) => a.key - b.key);
      const ids = new Map<string, string>();
      while (shuffled.length > 0) {
        const some = shuffled.splice(0, 1 + below(6)).map(({ one }) => one);
        assert.deepEqual(send(...some), []);
        if (below(3) === 0) waitTooLong();
        tree();
        for (const { name, id } of stored().filter((run) => run.name !== STAND_IN_NAME)) {
          assert.equal(ids.get(name) ?? id, id);
          ids.set(name, id);
        }
      }
      waitTooLong();
      assert.deepEqual(tree(), sent);
    });
  }

  function spanId(of: SpanRun): string {
    const h = `${of.trace.slice(0, 16)}${of.span}`;
    return `${h.slice(0, 8)}-${h.slice(8, 12)}-${h.slice(12, 16)}-${h.slice(16, 20)}-${h.slice(20)}`;
  }
});
