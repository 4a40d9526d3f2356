import assert from 'node:assert/strict';
import { readRunFile } from '../../src/replay/read-run-file.ts';
import type { RunFileLine } from '../../src/replay/run-file.ts';
import { writeRunFile } from '../../src/replay/write-run-file.ts';

const HEAD: RunFileLine = {
  kind: 'agentrun',
  version: 1,
  created_at: '2026-01-01T00:00:00.000Z',
  graph_id: 'agent',
  git: null,
  variables: { API_KEY: null, MODEL: 'm' },
};

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

async function textOf(lines: readonly RunFileLine[]): Promise<string[]> {
  return (await collect(writeRunFile(lines))).map((line) => line.trimEnd());
}

describe('a run file', () => {
  const lines: RunFileLine[] = [HEAD, { kind: 'span', span: { name: 'agent' } }];

  it('is read as it was written', async () => {
    assert.deepEqual(await collect(readRunFile(await textOf(lines))), lines);
  });

  it('is refused when its end is missing, lines are missing, or a line is damaged', async () => {
    const text = await textOf(lines);
    const [head = '', span = '', end = ''] = text;
    const read = (...broken: string[]) => collect(readRunFile(broken));
    await assert.rejects(read(head, span), /incomplete: its end is missing/);
    await assert.rejects(read(head, end), /should have 2 lines but has 1/);
    await assert.rejects(read(head, span.slice(0, -3), end), /line 2 is not valid JSON/);
    await assert.rejects(read(head, '{"kind":"run"}', end), /line 2 is not valid for 'run'/);
    await assert.rejects(read(span, end), /first line/);
    await assert.rejects(read(head.replace('"version":1', '"version":2'), end), /version 2 of the format/);
  });
});
