import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { stagingFolder } from '../../../../../src/server/storage/staging-folder.ts';
import {
  LARGE_PART_BYTES,
  PartGatherer,
} from '../../../../../src/server/tracing/api/ingestion/part-gatherer.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

describe('large parts without a folder for them', () => {
  const part = (name: string) => ({
    ...{ name, filename: undefined, contentType: 'text/plain' },
    ...{ content: [Buffer.alloc(LARGE_PART_BYTES + 1)], length: LARGE_PART_BYTES + 1 },
  });

  it('are stored, even if several make it at the same time', async () => {
    await using folder = await temporaryFolder();
    await mkdir(path.dirname(stagingFolder(folder.path)), { recursive: true });
    const gatherers = Array.from({ length: 8 }, () => new PartGatherer(folder.path, { splits: false }));
    await Promise.all(gatherers.map((gatherer, at) => gatherer.add(part(`part ${at}`))));
    for (const gatherer of gatherers) {
      const [stored] = gatherer.finish().parts;
      assert.equal((await stat(stored?.staged ?? '')).size, LARGE_PART_BYTES + 1);
    }
  });

  it('are refused if the data folder was deleted', async () => {
    await using folder = await temporaryFolder();
    const gatherer = new PartGatherer(path.join(folder.path, 'gone'), { splits: false });
    await assert.rejects(async () => gatherer.add(part('part')), /The data folder was deleted/);
  });
});

describe('a large run that comes in one part', () => {
  const long = 'x'.repeat(LARGE_PART_BYTES);
  const name = `post.${randomUUID()}`;

  /** The parts, with their lengths, into which a run is split so that each large payload has its own. */
  async function gather(content: Buffer): Promise<{ name: string; bytes: Buffer }[]> {
    await using folder = await temporaryFolder();
    await mkdir(stagingFolder(folder.path), { recursive: true });
    const gatherer = new PartGatherer(folder.path, { splits: true });
    const contentType = 'application/json';
    await gatherer.add({
      name,
      filename: undefined,
      contentType,
      content: [content],
      length: content.length,
    });
    const { bytes, parts } = gatherer.finish();
    return Promise.all(
      parts.map(async (part) => ({
        name: part.name,
        bytes:
          part.staged === undefined
            ? Buffer.from(bytes.subarray(part.offset, part.offset + part.length))
            : await readFile(part.staged),
      })),
    );
  }

  it('is split into its payloads', async () => {
    const parts = await gather(Buffer.from(JSON.stringify({ name: 'run', inputs: { long } })));
    assert.deepEqual(
      parts.map((part) => [part.name, JSON.parse(part.bytes.toString())]),
      [
        [name, { name: 'run' }],
        [`${name}.inputs`, { long }],
      ],
    );
  });

  it('stays as it was sent when it has to be refused', async () => {
    const deep = `${'['.repeat(20_000)}1${']'.repeat(20_000)}`;
    const refused = {
      'not UTF-8': Buffer.concat([
        Buffer.from(`{"inputs":{"long":"${long}","text":"`),
        Buffer.of(0xff),
        Buffer.from('"}}'),
      ]),
      'nested without end': Buffer.from(`{"inputs":{"long":"${long}","deep":${deep}}}`),
      'not JSON': Buffer.from(`{"inputs":{"long":"${long}"}`),
    };
    for (const [what, content] of Object.entries(refused)) {
      const parts = await gather(content);
      assert.deepEqual(
        parts.map((part) => part.name),
        [name],
        what,
      );
      assert.ok(parts[0]?.bytes.equals(content), what);
    }
  });
});
