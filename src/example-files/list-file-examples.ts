import { z } from 'zod';
import type { Client } from '../client/client.ts';
import { listExamples } from '../client/examples.ts';
import type { FileExample } from './file-example.ts';

const Splits = z.array(z.string()).catch([]);
/** The split that platforms put examples into when none is given. */
const DEFAULT_SPLIT = 'base';

/**
 * Lists the examples of a dataset for a file, with their splits beside the metadata instead of in it.
 * @throws RequestError while iterating; the signal's reason when aborted.
 */
export async function* listFileExamples(
  client: Pick<Client, 'examples'>,
  datasetId: string,
  options: Parameters<typeof listExamples>[2] = {},
): AsyncGenerator<FileExample, void, undefined> {
  for await (const { id, inputs, outputs, metadata } of listExamples(client, datasetId, options)) {
    const { dataset_split, ...own } = metadata ?? {};
    const splits = Splits.parse(dataset_split);
    yield {
      inputs: inputs ?? {},
      outputs: outputs ?? null,
      metadata: Object.keys(own).length === 0 ? null : own,
      ...(splits.some((split) => split !== DEFAULT_SPLIT) && { split: splits }),
      ...(id !== undefined && { id }),
    };
  }
}
