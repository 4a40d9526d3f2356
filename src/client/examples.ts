import type { examples as exampleTable } from '../contract/datasets/examples.ts';
import type { AnswerRead, BodyInput, QueryInput } from '../contract/endpoint.ts';
import type { Client } from './client.ts';
import { eachPage } from './each-page.ts';
import type { CallOptions } from './transport.ts';

export type ListedExample = AnswerRead<typeof exampleTable.list>[number];
export type NewExample = BodyInput<typeof exampleTable.createMany>[number];
type ExampleContent = Omit<NewExample, 'dataset_id'>;
type Filter = Pick<
  QueryInput<typeof exampleTable.list>,
  'as_of' | 'metadata' | 'splits' | 'full_text_contains' | 'include_deleted'
>;

const BATCH_SIZE = 200;

/** The maximum number of examples that a request names in its URL. */
export const MAX_IDS_IN_URL = 100;

/**
 * The examples of a dataset, page by page, in the order they were added, which does not change while they are read.
 * @throws RequestError while iterating; the signal's reason when aborted.
 */
export async function* listExamples(
  { examples }: Pick<Client, 'examples'>,
  datasetId: string,
  options: { readonly filter?: Filter; readonly limit?: number; readonly signal?: AbortSignal } = {},
): AsyncGenerator<ListedExample, void, undefined> {
  const { filter, limit, signal } = options;
  const order = { order: 'recently_created', descending: false } as const;
  const idOf = ({ id }: ListedExample) => id;
  const pages = eachPage({ idOf, ...(limit !== undefined && { limit }) }, (page) =>
    examples.list({ query: { ...filter, ...page, ...order, dataset: datasetId } }, { signal }),
  );
  for await (const page of pages) yield* page;
}

/**
 * Adds examples in batches, as they arrive. Each batch makes a version of the dataset.
 * @param options.into returns the id of their dataset; called when there is something to add.
 * @param options.onAdded called after each request with the number added so far.
 * @returns the number of examples that were added.
 * @throws RequestError; the batches that were added before stay.
 */
export async function addExamples(
  { examples }: Pick<Client, 'examples'>,
  added: AsyncIterable<ExampleContent>,
  options: CallOptions & {
    readonly into: () => Promise<string> | string;
    readonly onAdded?: (count: number) => void;
  },
): Promise<number> {
  let count = 0;
  let batch: ExampleContent[] = [];
  const flush = async () => {
    if (batch.length === 0) return;
    const dataset_id = await options.into();
    await examples.createMany({ body: batch.map((example) => ({ ...example, dataset_id })) }, options);
    count += batch.length;
    batch = [];
    options.onAdded?.(count);
  };
  for await (const example of added) {
    batch.push(example);
    if (batch.length >= BATCH_SIZE) await flush();
  }
  await flush();
  return count;
}

/**
 * Deletes examples from the current version of their dataset. Earlier versions keep them.
 * @throws RequestError; up to then, examples may have been deleted, `MAX_IDS_IN_URL` at a time
 */
export async function deleteExamples(
  { examples }: Pick<Client, 'examples'>,
  ids: readonly string[],
  options: CallOptions = {},
): Promise<void> {
  for (let at = 0; at < ids.length; at += MAX_IDS_IN_URL) {
    await examples.deleteMany({ query: { example_ids: ids.slice(at, at + MAX_IDS_IN_URL) } }, options);
  }
}
