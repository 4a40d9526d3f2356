import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RunFileLine } from '../../src/replay/run-file.ts';
import { saveRunFile } from '../../src/run-files/run-file-on-disk.ts';
import { readLineAt, type ScannedLine, scanRunFile } from '../../src/run-files/scan-run-file.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const HEAD: RunFileLine = {
  kind: 'agentrun',
  version: 1,
  created_at: '2026-01-01T00:00:00Z',
  graph_id: 'agent',
  git: null,
  variables: {},
};
/** A text longer than one read, in characters of several bytes. */
const LONG = 'ü🙂'.repeat(400_000);
const LINES: readonly RunFileLine[] = [
  HEAD,
  { kind: 'span', span: { id: 'first', inputs: LONG } },
  { kind: 'feedback', feedback: { key: LONG } },
  { kind: 'span', span: { id: 'second' } },
];

describe('a run file that is scanned', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let file: string;

  before(async () => {
    folder = await temporaryFolder();
    file = path.join(folder.path, 'x.agentrun');
  });
  beforeEach(() => saveRunFile(file, LINES));
  after(() => folder[Symbol.asyncDispose]());

  async function scan(...kinds: RunFileLine['kind'][]): Promise<ScannedLine[]> {
    const scanned: ScannedLine[] = [];
    for await (const line of scanRunFile(file, new Set(kinds))) scanned.push(line);
    return scanned;
  }

  it('returns the lines of the requested kinds, and only the positions of the others', async () => {
    const scanned = await scan('span');
    assert.deepEqual(
      scanned.map(({ kind }) => kind),
      LINES.map(({ kind }) => kind),
    );
    assert.deepEqual(
      scanned.map(({ line }) => line),
      [HEAD, LINES[1], undefined, LINES[3]],
    );
  });

  it('has each line at the position that the scan returned', async () => {
    for (const [at, { place }] of (await scan()).entries())
      assert.deepEqual(await readLineAt(file, place), LINES[at]);
  });

  it('is refused when its end is missing, when lines are, and when it is another file', async () => {
    const text = (lines: readonly unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    await writeFile(file, text([HEAD]));
    await assert.rejects(scan(), /it is incomplete: its end is missing/);
    await writeFile(file, text([HEAD, { kind: 'end', lines: 2 }]));
    await assert.rejects(scan(), /it should have 2 lines but has 1/);
    await writeFile(file, text([{ a: 1 }]));
    await assert.rejects(scan(), /its first line is not that of a run saved by Agent Harbor/);
    await rm(file);
    await assert.rejects(scan(), /does not exist\. Check the path\./);
  });
});
