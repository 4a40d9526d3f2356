import { MultipartParser } from '../../src/server/http/multipart-parser.ts';
import { Identity } from '../../src/server/identity/identity.ts';
import { FolderBlobs } from '../../src/server/storage/folder-blobs.ts';
import { openStateDatabase } from '../../src/server/storage/sqlite-state.ts';
import { makeWriterContext } from '../../src/server/traces-thread/make-writer-context.ts';
import { PartGatherer } from '../../src/server/tracing/api/ingestion/part-gatherer.ts';
import { openTracesDatabase } from '../../src/server/tracing/database/sqlite-traces.ts';
import { type IngestRequest, ingestRequest } from '../../src/server/tracing/ingestion/ingest-request.ts';
import { type Recording, renewedText } from './recorded.ts';

/** Requests that share a transaction; the server's own writing thread takes up to 64 when they pile up. */
const REQUESTS_AT_ONCE = 64;
const LIMITS = { headerBytes: 16_384, partBytes: 2 ** 30, totalBytes: 2 ** 30, parts: 1e6 };

/**
 * Stores copies of recorded requests in the data folder of a server that is not running. Each is processed as the
 * writing thread processes it, by `ingestRequest` and the full-text index, so the rows are the same as over HTTP.
 * @returns how many runs were stored, at least `count`.
 */
export async function storeRuns(
  dataDir: string,
  recordings: readonly Recording[],
  count: number,
): Promise<number> {
  const workspaceId = await defaultWorkspace(dataDir);
  const db = await openTracesDatabase(dataDir);
  const context = makeWriterContext({
    db,
    blobs: new FolderBlobs(dataDir),
    dataDir,
    send: () => {},
    nudge: () => {},
  });
  let stored = 0;
  while (stored < count) {
    db.transaction(() => {
      for (let at = 0; at < REQUESTS_AT_ONCE && stored < count; at++) {
        const recording = recordings[at % recordings.length];
        if (recording === undefined) throw new Error('Nothing was recorded.');
        const { refused } = ingestRequest(context, { workspaceId, ...partsOf(dataDir, recording) });
        if (refused.length > 0) throw new Error(refused[0]?.message);
        stored += recording.spans;
      }
    });
    while (context.words.advance(1000));
  }
  for (const work of context.background) work.stop?.();
  db.close();
  return stored;
}

function partsOf(dataDir: string, recording: Recording): Omit<IngestRequest, 'workspaceId'> {
  const boundary = /boundary=(\S+)/.exec(recording.contentType)?.[1] ?? '';
  const parser = new MultipartParser(boundary, LIMITS);
  const gatherer = new PartGatherer(dataDir);
  for (const part of parser.write(Buffer.from(renewedText(recording), 'latin1'))) {
    void gatherer.add({
      name: /name="([^"]*)"/.exec(part.headers.get('content-disposition') ?? '')?.[1] ?? '',
      filename: undefined,
      contentType: 'application/json',
      content: part.content,
      length: part.length,
    });
  }
  parser.finish();
  return { single: false, ...gatherer.finish() };
}

async function defaultWorkspace(dataDir: string): Promise<string> {
  const state = await openStateDatabase(dataDir);
  const { workspaceId } = await new Identity(state).findDefaultWorkspace();
  await state.destroy();
  return workspaceId;
}
