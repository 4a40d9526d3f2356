import type { datasets } from '../../../../contract/datasets/datasets.ts';
import type { Body } from '../../../../contract/endpoint.ts';
import type { Caller } from '../../../http/caller.ts';
import type { TracingServices } from '../../services/services.ts';
import type { ExampleChanges } from './example-changes.ts';

/**
 * Copies examples from one dataset to another. Given IDs and given splits each restrict which are copied.
 * @returns the new examples
 */
export async function cloneExamples(
  { read }: TracingServices,
  changes: ExampleChanges,
  caller: Caller,
  body: Body<typeof datasets.clone>,
) {
  const { workspaceId } = caller;
  const source = await read('examplesToCopy', {
    workspaceId,
    datasetId: body.source_dataset_id,
    asOf: body.as_of ?? undefined,
  });
  const ids = new Set(body.examples ?? []);
  const splits = body.split ? [body.split].flat() : [];
  const chosen = source.filter(
    ({ id, metadata }) =>
      (ids.size === 0 || ids.has(id)) &&
      (splits.length === 0 || splits.some((split) => splitsIn(metadata).includes(split))),
  );
  const copies = chosen.map(({ inputs, outputs, metadata, source_run_id, storedFiles }) => ({
    dataset_id: body.target_dataset_id,
    inputs,
    outputs,
    metadata,
    source_run_id,
    storedFiles,
  }));
  return copies.length === 0 ? [] : (await changes.add(caller, copies)).examples;
}

function splitsIn(metadata: Record<string, unknown> | null | undefined): unknown[] {
  const splits = metadata?.dataset_split;
  return Array.isArray(splits) ? splits : [splits];
}
