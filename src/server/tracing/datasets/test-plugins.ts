import { isDeepStrictEqual } from 'node:util';
import type { Selectable } from 'kysely';
import type { ExampleCreate } from '../../../contract/datasets/examples.ts';
import { parseStoredOrNull } from '../../storage/stored-json.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import type { ExampleVersionTable } from '../database/traces-schema.ts';

/**
 * Whether one of LangSmith's plugins for test runners has created a dataset (docs/interface/tracing.md#datasets).
 * @param metadata the dataset's metadata.
 */
export function isOfTestPlugin(metadata: unknown): boolean {
  return typeof metadata === 'object' && metadata !== null && '__ls_runner' in metadata;
}

/** Whether a plugin for a test runner has created the dataset with a key. */
export function isDatasetOfTestPlugin(db: TracesDatabase, dataset: number): boolean {
  const metadata = db.statement('SELECT metadata FROM datasets WHERE key = ?').get(dataset)?.metadata;
  return isOfTestPlugin(metadata ? JSON.parse(String(metadata)) : undefined);
}

/** Whether a stored example has the same inputs and outputs as one that is added. */
export function hasSameContents(
  row: Pick<Selectable<ExampleVersionTable>, 'inputs' | 'outputs'>,
  { inputs, outputs }: Pick<ExampleCreate, 'inputs' | 'outputs'>,
): boolean {
  const stored = [row.inputs, row.outputs].map((text) => parseStoredOrNull(text));
  return isDeepStrictEqual(stored, [inputs ?? null, outputs ?? null]);
}
