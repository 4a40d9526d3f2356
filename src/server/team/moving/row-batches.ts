import type { Row } from './row.ts';

const BATCH_ROWS = 1_000;
const BATCH_BYTES = 4 * 1024 * 1024;

/** Divides rows into batches, each of which one transaction stores. */
export async function* inBatches(rows: Iterable<Row> | AsyncIterable<Row>): AsyncGenerator<readonly Row[]> {
  let batch: Row[] = [];
  let bytes = 0;
  for await (const row of rows) {
    batch.push(row);
    bytes += sizeOf(row);
    if (batch.length < BATCH_ROWS && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

function sizeOf(row: Row): number {
  let size = 0;
  for (const value of Object.values(row))
    size += typeof value === 'string' ? value.length : value instanceof Uint8Array ? value.length : 8;
  return size;
}
