import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import type { PurgeRequest } from '../../../src/contract/purging.ts';
import { FeedbackCreate } from '../../../src/contract/tracing/feedback.ts';
import { Expiry } from '../../../src/server/purging/expiry.ts';
import { previewPurge, purgeSessions, requestPurge } from '../../../src/server/purging/purge-jobs.ts';
import { DAY_MICROS, formatTime, nowMicros } from '../../../src/server/tracing/database/time.ts';
import { createFeedback } from '../../../src/server/tracing/feedback/write-feedback.ts';
import { ingestRequest } from '../../../src/server/tracing/ingestion/ingest-request.ts';
import { ingestLogs } from '../../../src/server/tracing/otlp/ingest-logs.ts';
import { PendingSpans } from '../../../src/server/tracing/otlp/pending-spans.ts';
import { ingestSpans } from '../../../src/server/tracing/otlp/place-spans.ts';
import type { SpanRun } from '../../../src/server/tracing/otlp/span-to-run.ts';
import { newRun, type TestRun } from '../../support/traces.ts';
import { openTracesWriter } from '../../support/traces-writer.ts';

const hex = (bytes: number) => randomBytes(bytes).toString('hex');
const uuid = (h: string) =>
  `${h.slice(0, 8)}-${h.slice(8, 12)}-${h.slice(12, 16)}-${h.slice(16, 20)}-${h.slice(20)}`;
const HOUR = 3_600_000_000;

/** The work of the storage thread, driven by the test. Each test has its own workspace. */
describe('a purge', () => {
  let writer: Awaited<ReturnType<typeof openTracesWriter>>;
  let workspaceId: string;
  before(async () => {
    writer = await openTracesWriter();
  });
  after(() => writer[Symbol.asyncDispose]());
  beforeEach(() => {
    workspaceId = hex(4);
  });

  function send(fields: {
    trace?: string;
    parent?: string | undefined;
    start?: number;
    project?: string;
    metadata?: object;
  }): { span: SpanRun; refused: readonly string[] } {
    const { trace = hex(16), start = nowMicros(), project = 'demo', metadata = {} } = fields;
    const span: SpanRun = {
      ...{ trace, span: hex(8), parent: 'parent' in fields ? fields.parent : hex(8), start },
      ...{ runId: undefined, traceId: undefined, parentRunId: undefined, dottedOrder: undefined },
      fields: {
        ...{ name: 'span', run_type: 'chain', session_name: project, start_time: formatTime(start) },
        ...{ inputs: { text: 'my secret' }, extra: { metadata } },
      },
    };
    const { context } = writer;
    const { refused } = context.db.transaction(() => ingestSpans(context, { workspaceId, spans: [span] }));
    return { span, refused: refused.map(({ message }) => message) };
  }

  /** Sends an update or a run. @returns why it was refused. */
  function sendNative(operation: 'post' | 'patch', run: TestRun): string[] {
    const bytes = Buffer.from(JSON.stringify(run));
    const part = { name: `${operation}.${run.id}`, contentType: 'application/json', offset: 0 };
    const parts = [{ ...part, length: bytes.length }];
    const { context } = writer;
    const { refused } = context.db.transaction(() =>
      ingestRequest(context, { workspaceId, single: false, bytes, parts }),
    );
    return refused.map(({ message }) => message);
  }

  function request(purge: PurgeRequest): string {
    const { context } = writer;
    return context.db.transaction(() => requestPurge(context, { workspaceId, by: null, purge })).jobId;
  }

  const jobOf = (id: string) =>
    writer.context.db.statement('SELECT step, matched, deleted, error FROM purge_jobs WHERE id = ?').get(id);

  /** Works on a purge until it has reached a step. */
  function workUntil(id: string, steps: readonly string[]) {
    for (let turn = 0; turn < 5000; turn++) {
      for (const work of writer.context.background) work.advance(20);
      const job = jobOf(id);
      if (steps.includes(String(job?.step))) return { ...job };
    }
    throw new Error('The purge makes no progress.');
  }

  const purge = (body: PurgeRequest) => workUntil(request(body), ['verified', 'failed']);
  const verified = (matched: number) => ({ step: 'verified', matched, deleted: matched, error: null });

  /** The numbers of runs and waiting parts that the workspace still has. */
  function left(): Record<string, number> {
    const { db } = writer.context;
    const { key } = db.statement('SELECT key FROM workspaces WHERE id = ?').get(workspaceId) ?? {};
    const count = (table: string) =>
      Number(db.statement(`SELECT count(*) AS n FROM ${table} WHERE workspace = ?`).get(Number(key))?.n);
    return {
      runs: count('runs'),
      spans: count('early_spans'),
      logs: count('early_logs'),
      updates: count('early_patches'),
    };
  }
  const NOTHING = { runs: 0, spans: 0, logs: 0, updates: 0 };

  function waitTooLong(): void {
    const { context } = writer;
    context.db.statement('UPDATE early_spans SET received_at = 1 WHERE run IS NULL').run();
    const pending = new PendingSpans(context);
    while (pending.advance(1000));
    pending.stop();
  }

  it('by metadata deletes spans that wait for their root', () => {
    send({ metadata: { 'user.id': 'u-gdpr' } });
    assert.deepEqual(purge({ metadata: { 'user.id': 'u-gdpr' } }), verified(1));
    waitTooLong();
    assert.deepEqual(left(), NOTHING);
  });

  it('by metadata deletes log records of spans that wait for their root, and refuses those that arrive later', () => {
    const { span } = send({ metadata: { 'user.id': 'u-gdpr' } });
    const log = (spanId: string) => {
      const event = { name: 'gen_ai.user.message', kwargs: { content: 'SECRET' } };
      const logs = [{ trace: span.trace, span: spanId, event }];
      const { context } = writer;
      return context.db.transaction(() => ingestLogs(context, { workspaceId, logs })).refused.length;
    };
    assert.equal(log(span.span) + log(hex(8)), 0);
    assert.deepEqual(left(), { ...NOTHING, spans: 1, logs: 2 });
    assert.deepEqual(purge({ metadata: { 'user.id': 'u-gdpr' } }), verified(1));
    assert.deepEqual(left(), NOTHING);
    assert.equal(log(span.span), 1);
    assert.deepEqual(left(), NOTHING);
  });

  it('by metadata deletes spans that name another trace, but not their position in that trace', () => {
    const { span } = send({ metadata: { user: 'u1' } });
    const named = { ...span, span: hex(8), traceId: randomUUID() };
    const { context } = writer;
    context.db.transaction(() => ingestSpans(context, { workspaceId, spans: [named] }));
    assert.deepEqual(purge({ metadata: { user: 'u1' } }), verified(1));
    assert.deepEqual(left(), NOTHING);
  });

  it('by metadata tells the types of values apart in waiting spans, and keeps spans that do not match', () => {
    send({ metadata: { is: 1 } });
    send({ metadata: { is: '1' } });
    assert.deepEqual(purge({ metadata: { is: 1 } }), verified(1));
    assert.deepEqual(left(), { ...NOTHING, spans: 1 });
  });

  it('by metadata deletes a stored trace if a waiting span or update of it matches', () => {
    const [one, other] = [newRun(), newRun()];
    for (const run of [one, other, newRun()]) assert.deepEqual(sendNative('post', run), []);
    send({ trace: one.trace_id.replaceAll('-', ''), metadata: { user: 'u1' } });
    const child = newRun({ parent: other, extra: { metadata: { user: 'u1' } } });
    assert.deepEqual(sendNative('patch', child), []);
    assert.deepEqual(purge({ metadata: { user: 'u1' } }), verified(2));
    assert.deepEqual(left(), { ...NOTHING, runs: 1 });
  });

  it('by metadata deletes updates whose run has not come, and refuses the run when it comes', () => {
    const run = newRun({ extra: { metadata: { user: 'u1' } } });
    sendNative('patch', run);
    assert.deepEqual(purge({ metadata: { user: 'u1' } }), verified(1));
    assert.match(sendNative('post', run)[0] ?? '', /was purged/);
    assert.deepEqual(left(), NOTHING);
  });

  it('by age deletes what waits and began before', () => {
    send({ start: nowMicros() - 2 * HOUR });
    send({ start: nowMicros() });
    sendNative('patch', newRun({ at: Date.now() - 7_200_000 }));
    assert.deepEqual(purge({ before: formatTime(nowMicros() - HOUR) }), verified(2));
    assert.deepEqual(left(), { ...NOTHING, spans: 1 });
  });

  it('of one project leaves what waits for another', () => {
    const project = (name: string) => {
      send({ project: name, parent: undefined });
      const { db } = writer.context;
      return String(db.statement('SELECT id FROM sessions WHERE name = ?').get(name)?.id);
    };
    const [mine, others] = [hex(4), hex(4)];
    const session_id = project(mine);
    project(others);
    send({ project: mine });
    send({ project: others });
    const before = formatTime(nowMicros() + HOUR);
    assert.deepEqual(purge({ session_id, before }), verified(2));
    assert.deepEqual(left(), { ...NOTHING, runs: 1, spans: 2 });
  });

  it('of a deleted project deletes the data that waits for it, even data that is stored meanwhile', () => {
    const name = hex(4);
    send({ project: name, parent: undefined });
    const waits = [send({ project: name }), send({ project: name })];
    send({ project: 'another' });
    const { context } = writer;
    const session = context.db.statement('SELECT id FROM sessions WHERE name = ?').get(name);
    const { jobIds } = context.db.transaction(() =>
      purgeSessions(context, { workspaceId, by: null, sessionIds: [String(session?.id)] }),
    );
    // The root comes before the purge is carried out.
    const { trace, parent } = waits[0]?.span ?? {};
    const root = { ...waits[0]?.span, trace, span: parent, parent: undefined } as SpanRun;
    context.db.transaction(() => ingestSpans(context, { workspaceId, spans: [root] }));
    assert.deepEqual(workUntil(String(jobIds[0]), ['verified', 'failed']), verified(3));
    assert.deepEqual(left(), { ...NOTHING, spans: 1 });
  });

  it('shows what waits in its preview', () => {
    send({ metadata: { user: 'u1' } });
    const { context } = writer;
    const { would_delete } = previewPurge(context, { workspaceId, purge: { metadata: { user: 'u1' } } });
    assert.deepEqual([would_delete.traces, would_delete.runs], [1, 1]);
    assert.ok((would_delete.bytes ?? 0) > 0);
  });

  it('finds data that arrives between the search and the verification', () => {
    send({ metadata: { user: 'u1' } });
    const id = request({ metadata: { user: 'u1' } });
    workUntil(id, ['verifying']);
    // A request that was being stored when the purge began.
    const { span } = send({ metadata: { user: 'u1' } });
    writer.context.db.statement('UPDATE early_spans SET received_at = 1 WHERE span = ?').run(span.span);
    assert.deepEqual(workUntil(id, ['verified', 'failed']), verified(2));
    assert.deepEqual(left(), NOTHING);
  });

  describe('keeps away what is sent late for its traces', () => {
    it('spans of OpenTelemetry, however their trace was stored', () => {
      const { span } = send({ metadata: { user: 'u1' } });
      const root = send({ parent: undefined, metadata: { user: 'u1' } }).span;
      assert.deepEqual(purge({ metadata: { user: 'u1' } }), verified(2));
      for (const { trace } of [span, root]) {
        const [refusal = ''] = send({ trace }).refused;
        assert.match(refusal, /was purged/);
        assert.match(send({ trace, parent: undefined }).refused[0] ?? '', /was purged/);
      }
      waitTooLong();
      assert.deepEqual(left(), NOTHING);
    });

    it('runs, and updates of runs that never came', () => {
      const root = newRun();
      sendNative('post', root);
      const { db } = writer.context;
      const session_id = String(
        db
          .statement(
            `SELECT sessions.id FROM sessions JOIN runs ON runs.session = sessions.key WHERE runs.id = ?`,
          )
          .get(root.id)?.id,
      );
      assert.deepEqual(purge({ session_id, trace_ids: [root.trace_id] }), verified(1));
      assert.match(sendNative('post', newRun({ parent: root }))[0] ?? '', /was purged/);
      assert.match(sendNative('patch', newRun({ parent: root }))[0] ?? '', /was purged/);
      assert.match(sendNative('post', root)[0] ?? '', /was purged/);
      assert.deepEqual(sendNative('post', newRun()), []);
      assert.deepEqual(left(), { ...NOTHING, runs: 1 });
    });

    it('feedback that names the trace or its root', () => {
      const { trace } = send({ metadata: { user: 'u1' } }).span;
      purge({ metadata: { user: 'u1' } });
      const { context } = writer;
      const judge = (fields: object) =>
        context.db.transaction(() =>
          createFeedback(context, { workspaceId, feedback: FeedbackCreate.parse({ key: 'k', ...fields }) }),
        );
      assert.throws(() => judge({ run_id: uuid(trace), comment: 'late' }), /was purged/);
      assert.throws(() => judge({ run_id: randomUUID(), trace_id: uuid(trace) }), /was purged/);
      assert.doesNotThrow(() => judge({ run_id: randomUUID() }));
    });

    it('for a week', () => {
      const { trace } = send({ metadata: { user: 'u1' } }).span;
      purge({ metadata: { user: 'u1' } });
      assert.equal(send({ trace }).refused.length, 1);
      const expiry = new Expiry(writer.context, () => nowMicros() + 8 * DAY_MICROS);
      expiry.advance();
      expiry.stop();
      assert.deepEqual(send({ trace }).refused, []);
    });
  });

  it('by retention reaches what waits for longer than its workspace keeps traces', () => {
    const { context } = writer;
    const refused = send({}).span;
    send({});
    const feedback = FeedbackCreate.parse({ key: 'k', run_id: uuid(refused.trace), comment: 'early' });
    context.db.transaction(() => createFeedback(context, { workspaceId, feedback }));
    sendNative('patch', newRun());
    const logs = [{ trace: hex(16), span: hex(8), event: { name: 'gen_ai.choice', kwargs: {} } }];
    context.db.transaction(() => ingestLogs(context, { workspaceId, logs }));
    const { db } = context;
    db.statement(`UPDATE early_spans SET refused = 'full' WHERE span = ?`).run(refused.span);
    const expireIn = (days: number) => {
      const expiry = new Expiry(context, () => nowMicros() + days * DAY_MICROS);
      expiry.advance();
      expiry.stop();
    };
    expireIn(13);
    assert.deepEqual(left(), { runs: 0, spans: 2, logs: 1, updates: 1 });
    const { key } = db.statement('SELECT key FROM workspaces WHERE id = ?').get(workspaceId) ?? {};
    db.statement(
      `INSERT INTO retention_settings (id, workspace, default_tier, apply_to_all_projects, shortlived_days, created_at, updated_at)
       VALUES (?, ?, 'shortlived', 0, 2, 0, 0)`,
    ).run(hex(4), Number(key));
    expireIn(3);
    assert.deepEqual(left(), NOTHING);
    assert.equal(db.statement('SELECT 1 FROM feedback WHERE workspace = ?').get(Number(key)), undefined);
  });

  it('never sees two workspaces as one', () => {
    const { span } = send({ metadata: { user: 'u1' } });
    const [mine, other] = [workspaceId, hex(4)];
    workspaceId = other;
    send({ trace: span.trace, metadata: { user: 'u1' } });
    workspaceId = mine;
    assert.deepEqual(purge({ metadata: { user: 'u1' } }), verified(1));
    assert.deepEqual(left(), NOTHING);
    workspaceId = other;
    assert.deepEqual(left(), { ...NOTHING, spans: 1 });
    assert.deepEqual(send({ trace: span.trace }).refused, []);
  });
});
