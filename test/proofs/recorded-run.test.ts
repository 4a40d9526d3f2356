import assert from 'node:assert/strict';
import { readRecordedRun } from '../../src/proofs/recorded-run.ts';
import type { Kinds, RunFileLine } from '../../src/replay/run-file.ts';

const LINES: readonly RunFileLine[] = [
  {
    ...{ kind: 'agentrun', version: 1, created_at: '2026-11-28T00:00:00Z', graph_id: 'agent' },
    ...{ git: null, variables: {} },
  },
  {
    ...{ kind: 'run', run_id: 'r1', start: null, input: { question: 'Oslo' }, command: null },
    ...{ context: {}, config: {}, stream_mode: ['values'], stream_subgraphs: false },
  },
  { kind: 'run_end', run_id: 'r1', status: 'error', error: null, values: {}, steps: {} },
  {
    kind: 'span',
    span: { id: 'a', error: 'Error: no\n    at outer (/p/agent.mjs:9:1)\n    at node (/p/agent.mjs:5:3)' },
  },
  {
    kind: 'span',
    span: { id: 'b', parent_run_id: 'a', error: 'Error: no\n    at inner (/p/agent.mjs:3:7)' },
  },
];

describe('a recorded run', () => {
  it('is read from its file once, with how it ended and where it failed', async () => {
    const opened: (Kinds | undefined)[] = [];
    const { outline, place } = await readRecordedRun(async function* (kinds) {
      opened.push(kinds);
      for (const line of LINES) if (kinds === undefined || kinds.has(line.kind)) yield line;
    });
    assert.equal(opened.length, 1);
    assert.deepEqual(
      [outline.head.graph_id, outline.runs.length, outline.ends.get('r1')?.status],
      ['agent', 1, 'error'],
    );
    assert.deepEqual([place?.file, place?.line], ['/p/agent.mjs', 3]);
  });

  it('failed in the node whose model call has no frame of the project', async () => {
    const lines: readonly RunFileLine[] = [
      ...LINES,
      {
        kind: 'span',
        span: {
          ...{ id: 'c', parent_run_id: 'b' },
          error: 'Error: no\n    at post (/p/node_modules/openai/index.mjs:1:1)',
        },
      },
    ];
    const { place } = await readRecordedRun(async function* () {
      yield* lines;
    });
    assert.deepEqual([place?.file, place?.line], ['/p/agent.mjs', 3]);
  });
});
