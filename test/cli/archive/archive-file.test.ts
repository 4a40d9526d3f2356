import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeArchive } from '../../../src/cli/archive/archive-file.ts';
import type { ArchiveLine } from '../../../src/client/thread-archive.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('an archive of threads', () => {
  for (const name of ['threads.jsonl', 'threads.jsonl.gz']) {
    it(`cannot be written to ${name} in a folder that does not exist`, async () => {
      await using folder = await temporaryFolder();
      async function* lines(): AsyncGenerator<ArchiveLine> {
        // The file fails to open in the meantime, as it does while threads are loaded.
        await delay(100);
        yield { kind: 'end', threads: 0 };
      }
      await assert.rejects(writeArchive(lines(), path.join(folder.path, 'missing', name)), {
        code: 'ENOENT',
      });
    });
  }
});
