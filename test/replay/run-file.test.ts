import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RunFileLine } from '../../src/replay/run-file.ts';
import { openRunFile, saveRunFile } from '../../src/run-files/run-file-on-disk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

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

describe('a run file', () => {
  const lines: RunFileLine[] = [HEAD, { kind: 'span', span: { name: 'agent' } }];
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let file: string;

  before(async () => {
    folder = await temporaryFolder();
    file = path.join(folder.path, 'x.agentrun');
  });
  after(() => folder[Symbol.asyncDispose]());

  const read = async (...text: string[]) => {
    await writeFile(file, text.join('\n'));
    return collect(openRunFile(file));
  };

  it('is read as it was written, even with the line endings of Windows and of editors', async () => {
    await saveRunFile(file, lines);
    assert.deepEqual(await collect(openRunFile(file)), lines);
    const text = await readFile(file, 'utf8');
    assert.deepEqual(await read(text.replaceAll('\n', '\r\n\r\n')), lines);
    assert.deepEqual(await read(text.trimEnd()), lines);
  });

  it('is refused when its end is missing, lines are missing, or a line is damaged', async () => {
    await saveRunFile(file, lines);
    const [head = '', span = '', end = ''] = (await readFile(file, 'utf8')).split('\n');
    await assert.rejects(read(head, span), /incomplete: its end is missing/);
    await assert.rejects(read(head, end), /should have 2 lines but has 1/);
    await assert.rejects(read(head, span.slice(0, -3), end), /line 2 is not valid JSON/);
    await assert.rejects(read(head, '{"kind":"run"}', end), /line 2 is not valid for 'run'/);
    await assert.rejects(read(span, end), /first line/);
    await assert.rejects(read(head.replace('"version":1', '"version":2'), end), /version 2 of the format/);
  });

  it('is refused with advice when it is missing, a folder, or a cassette', async () => {
    const missing = `${file}.missing`;
    await assert.rejects(collect(openRunFile(missing)), {
      message: `The run file could not be read: ${missing} does not exist. Check the path.`,
    });
    await assert.rejects(
      collect(openRunFile(path.dirname(file))),
      /is a folder\. Give the path of a file in it/,
    );
    await assert.rejects(
      read('interactions:', '- request:'),
      /first line is not that of a run saved by Agent Harbor\. A cassette of vcrpy is read with agent-harbor run/,
    );
  });
});
