import assert from 'node:assert/strict';
import { FolderBlobs } from '../../../../src/server/storage/folder-blobs.ts';
import { prepareStaging } from '../../../../src/server/storage/staging-folder.ts';
import { makeWriterContext } from '../../../../src/server/traces-thread/make-writer-context.ts';
import { openTracesDatabase } from '../../../../src/server/tracing/database/sqlite-traces.ts';
import { ingestRequest } from '../../../../src/server/tracing/ingestion/ingest-request.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('feedback without an ID', () => {
  it('is published with the ID that it gets', async () => {
    await using folder = await temporaryFolder();
    await prepareStaging(folder.path);
    const db = await openTracesDatabase(folder.path);
    const context = makeWriterContext({
      ...{ db, blobs: new FolderBlobs(folder.path), dataDir: folder.path },
      ...{ send: () => {}, nudge: () => {} },
    });
    const bytes = Buffer.from(JSON.stringify({ key: 'liked', score: 1, run_id: crypto.randomUUID() }));
    const part = { name: 'feedback', contentType: 'application/json', offset: 0, length: bytes.length };
    const request = {
      workspaceId: 'a-workspace',
      single: false,
      bytes: new Uint8Array(bytes),
      parts: [part],
    };
    const { changes } = ingestRequest(context, request);
    const stored = db.statement('SELECT id FROM feedback').get();
    assert.deepEqual(
      changes.filter(({ resource }) => resource === 'feedback').map(({ id }) => id),
      [stored?.id],
    );
    for (const work of context.background) work.stop?.();
    db.close();
  });
});
