import assert from 'node:assert/strict';
import { Client } from '../../../../src/client/client.ts';
import { createDispatcher } from '../../../../src/client/dispatcher.ts';
import type { Change } from '../../../../src/contract/harbor.ts';
import type { Span } from '../../../../src/extension/panels/trace/messages.ts';
import { TraceFollower } from '../../../../src/extension/panels/trace/trace-follower.ts';
import { type Row, rowsOf } from '../../../../src/webviews/trace/rows.ts';
import { traceOf } from '../../../../src/webviews/trace/waterfall.ts';
import { type Platform, startPlatform } from '../../../support/platform.ts';
import { newRun, postParts, sendParts, type TestRun } from '../../../support/traces.ts';
import { eventually } from '../../../support/wait.ts';

/** The rows of a trace's waterfall at a moment. */
interface Sample {
  readonly rows: readonly Row[];
  /** In milliseconds. */
  readonly length: number;
}

describe('the waterfall of a trace in progress', function () {
  this.timeout(30_000);
  const dispatcher = createDispatcher();
  let platform: Platform;

  before(async () => {
    platform = await startPlatform();
  });

  after(async () => {
    await platform.close();
    await dispatcher.close();
  });

  it('gains spans and length, and loses and changes nothing that has ended', async () => {
    const root = newRun({ name: 'agent', at: Date.now() - 1_000 });
    const at = Date.parse(root.start_time);
    const plan = newRun({ parent: root, name: 'plan', at: at + 100 });
    const model = newRun({ parent: plan, name: 'model', run_type: 'llm', at: at + 200 });
    const answer = newRun({ parent: root, name: 'answer', at: at + 500 });
    await sendParts(platform, postParts(root));
    await using trace = follow(root.trace_id);
    const shows = (names: string, length: number) =>
      eventually(
        `${names}, ${length} ms long`,
        () => trace.samples.at(-1),
        (sample) => sample !== undefined && namesOf(sample) === names && sample.length === length,
      );
    await shows('agent…', 0);
    const steps: (() => Promise<unknown>)[] = [
      () => sendParts(platform, [...postParts(plan), ...postParts(model)]),
      () => end(model, 400),
      () => end(plan, 450),
      () => sendParts(platform, postParts(answer)),
      () => end(answer, 900),
      () => end(root, 950),
    ];
    const shown: [string, number][] = [
      ['agent… plan… model…', 200],
      ['agent… plan… model', 400],
      ['agent… plan model', 450],
      ['agent… plan model answer…', 500],
      ['agent… plan model answer', 900],
      ['agent plan model answer', 950],
    ];
    for (const [index, step] of steps.entries()) {
      await step();
      trace.tell();
      await shows(...(shown[index] ?? ['', 0]));
    }
    // Between the steps too: a page of spans at a time.
    let before: Sample = { rows: [], length: 0 };
    for (const sample of trace.samples) {
      assert.ok(sample.length >= before.length, 'it never gets shorter');
      for (const { node } of before.rows) {
        const now = sample.rows.find((row) => row.node.span.id === node.span.id)?.node.span;
        assert.ok(now, `${node.span.name} is still there`);
        assert.equal(now.start, node.span.start);
        if (node.span.end !== undefined) assert.equal(now.end, node.span.end);
      }
      before = sample;
    }

    async function end(run: TestRun, after: number): Promise<void> {
      const end_time = new Date(at + after).toISOString();
      await sendParts(platform, [{ name: `patch.${run.id}`, content: { ...run, end_time, outputs: {} } }]);
    }
  });

  /** Follows a trace as its panel does, and keeps the content of the waterfall after every message. */
  function follow(traceId: string) {
    const samples: Sample[] = [];
    const spans = new Map<string, Span>();
    const listeners = new Set<(changes: readonly Change[]) => unknown>();
    const client = new Client({
      dispatcher,
      connection: {
        baseUrl: platform.url,
        controlPlaneUrl: platform.url,
        credentials: { apiKey: platform.workspace.key },
      },
    });
    const errors: unknown[] = [];
    const follower = new TraceFollower({
      connect: async () => client,
      connection: {
        onDidChange: (listener) => {
          listeners.add(listener);
          return { dispose: () => listeners.delete(listener) };
        },
        onDidChangeState: () => ({ dispose: () => {} }),
      },
      traceId,
      onError: (error) => errors.push(error),
    });
    const done = follower.play((events) => {
      for (const event of events) {
        if (event.type !== 'spans') continue;
        for (const span of event.spans) spans.set(span.id, span);
        const trace = traceOf([...spans.values()].sort((a, b) => a.start - b.start));
        const rows = rowsOf(trace, { folded: new Set(), query: '', onlyErrors: false });
        samples.push({ rows, length: trace.end - trace.start });
      }
    });
    return {
      samples,
      /** Reports a change of the trace, as the change feed does. */
      tell: () => {
        for (const listener of listeners) listener([{ resource: 'trace', action: 'updated', id: traceId }]);
      },
      async [Symbol.asyncDispose]() {
        await done;
        follower.dispose();
        assert.deepEqual(errors, []);
      },
    };
  }
});

/** The names of the rows; of those that still run, with an ellipsis. */
function namesOf({ rows }: Sample): string {
  return rows.map(({ node: { span } }) => `${span.name}${span.end === undefined ? '…' : ''}`).join(' ');
}
