import type { IngestResult } from '../ingestion/ingest-request.ts';

/** The refusals and changes of several results as one. */
export function mergeResults(results: readonly IngestResult[]): IngestResult {
  return {
    refused: results.flatMap(({ refused }) => refused),
    changes: results.flatMap(({ changes }) => changes),
  };
}
