import type { WriterContext } from '../context/writer-context.ts';
import { type IngestResult, ingestRequest } from '../ingestion/ingest-request.ts';
import type { Part } from '../runs/parts.ts';

/**
 * Stores runs as if a client had sent them, each under the name of its part.
 * @param counted whether the usage of a run counts, by the run's ID. The type of a run that is not listed
 * decides.
 */
export function ingestRuns(
  context: WriterContext,
  workspaceId: string,
  runs: readonly (readonly [part: string, fields: Record<string, unknown>])[],
  counted: ReadonlyMap<string, boolean>,
): IngestResult {
  const parts: Part[] = [];
  const pieces: Buffer[] = [];
  let offset = 0;
  for (const [name, fields] of runs) {
    const bytes = Buffer.from(JSON.stringify(fields));
    parts.push({ name, contentType: 'application/json', offset, length: bytes.length });
    pieces.push(bytes);
    offset += bytes.length;
  }
  return ingestRequest(context, { workspaceId, single: false, bytes: Buffer.concat(pieces), parts, counted });
}
