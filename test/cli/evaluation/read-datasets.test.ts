import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readDatasets } from '../../../src/cli/evaluation/read-datasets.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('a dataset that the command line names', () => {
  it('is not found, or cannot be read, with the reason', async () => {
    await using folder = await temporaryFolder();
    const config = path.join(folder.path, 'langgraph.json');
    const missing = path.join(folder.path, 'missing.dataset.jsonl');
    await assert.rejects(readDatasets(config, [missing]), { message: `File not found: ${missing}.` });
    const odd = path.join(folder.path, 'folder.dataset.jsonl');
    await mkdir(odd);
    await assert.rejects(readDatasets(config, [odd]), /folder\.dataset\.jsonl cannot be read: EISDIR/);
  });

  it('is read with its examples', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'basics.dataset.jsonl');
    await writeFile(file, '{"inputs": {"q": 1}}\n');
    const [dataset] = await readDatasets(path.join(folder.path, 'langgraph.json'), [file]);
    assert.deepEqual(
      dataset?.examples.map(({ inputs }) => inputs),
      [{ q: 1 }],
    );
  });
});
