import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { nowMicros } from '../../../src/server/tracing/database/time.ts';
import { PendingSpans } from '../../../src/server/tracing/otlp/pending-spans.ts';
import { ingestSpans } from '../../../src/server/tracing/otlp/place-spans.ts';
import { findWorkspaceKey } from '../../../src/server/tracing/sessions/workspace-keys.ts';
import { openTracesWriter } from '../../support/traces-writer.ts';

const hex = (bytes: number) => randomBytes(bytes).toString('hex');

describe('OpenTelemetry spans whose parents do not come', () => {
  let writer: Awaited<ReturnType<typeof openTracesWriter>>;
  let pending: PendingSpans;
  beforeEach(async () => {
    writer = await openTracesWriter();
    pending = new PendingSpans(writer.context);
  });
  afterEach(async () => {
    pending.stop();
    await writer[Symbol.asyncDispose]();
  });

  /** Stores a span that has been waiting for a long time. */
  function keep(
    workspaceId: string,
    fields: { trace?: string; span?: string; parent?: string; start?: number },
  ) {
    const { trace = hex(16), span = hex(8), parent = hex(8), start = nowMicros() } = fields;
    const { db } = writer.context;
    const run = {
      ...{ trace, span, parent, start, fields: { name: `span ${span}`, run_type: 'chain' } },
      ...{ runId: undefined, traceId: undefined, parentRunId: undefined, dottedOrder: undefined },
    };
    const { refused } = db.transaction(() => ingestSpans(writer.context, { workspaceId, spans: [run] }));
    assert.deepEqual(refused, []);
    db.statement('UPDATE early_spans SET received_at = ? WHERE span = ?').run(kept++, span);
  }
  let kept = 1;

  /** Does the background work until there is no more. @returns how often it failed. */
  function placeAll(): number {
    let failures = 0;
    for (let turn = 0; turn < 1000; turn++) {
      try {
        if (!pending.advance(5)) return failures;
      } catch {
        failures++;
      }
    }
    throw new Error('It does not end.');
  }

  function runsOf(workspaceId: string): number {
    const { db } = writer.context;
    const row = db
      // Placeholders of roots are not counted.
      .statement('SELECT count(*) AS n FROM runs WHERE workspace = ? AND parent_id IS NOT NULL')
      .get(findWorkspaceKey(db, workspaceId));
    return Number(row?.n);
  }

  it('are placed even if one before them cannot be, in the same or another workspace', () => {
    const span = hex(8);
    keep('one', { span });
    const damage = writer.context.db.statement('UPDATE early_spans SET data = ? WHERE span = ?');
    damage.run(Buffer.from('damaged'), span);
    keep('one', {});
    keep('other', {});
    assert.equal(placeAll(), 1);
    assert.deepEqual([runsOf('one'), runsOf('other')], [1, 1]);
  });

  it('are all placed, however many traces wait', () => {
    for (let at = 0; at < 150; at++) keep('one', {});
    assert.equal(placeAll(), 0);
    assert.equal(runsOf('one'), 150);
  });

  it('are placed when they name themselves or each other as parents', () => {
    const [trace, self, one, other] = [hex(16), hex(8), hex(8), hex(8)];
    keep('one', { span: self, parent: self });
    keep('one', { trace, span: one, parent: other });
    keep('one', { trace, span: other, parent: one });
    assert.equal(placeAll(), 0);
    assert.equal(runsOf('one'), 3);
  });
});
