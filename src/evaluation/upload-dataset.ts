import { isDeepStrictEqual } from 'node:util';
import { v5 as uuidv5, validate } from 'uuid';
import type { Client } from '../client/client.ts';
import { addExamples, listExamples, type NewExample } from '../client/examples.ts';
import { findDataset } from '../client/find-dataset.ts';
import type { CallOptions } from '../client/transport.ts';
import type { DatasetFile, FileExample } from './dataset-file.ts';

/** A dataset of the platform that holds what a file does. */
export interface UploadedDataset {
  readonly id: string;
  /** The ids of the examples, in the order of the file. */
  readonly exampleIds: readonly string[];
  /** The version with them, if the platform has versions. */
  readonly version: string | undefined;
}

/** Marks datasets whose examples are those of a file, and no others. */
const FILE_MARK = 'agent_harbor_file';

/**
 * Makes the platform's dataset of a file hold its examples. Only what differs is written, and each change makes a new
 * version, so that experiments on earlier ones keep theirs. Examples that were added elsewhere to a dataset that was not
 * made here are left alone.
 * @throws RequestError
 */
export async function uploadDataset(
  client: Pick<Client, 'datasets' | 'examples'>,
  file: DatasetFile,
  options: Pick<CallOptions, 'signal'> = {},
): Promise<UploadedDataset> {
  const { signal } = options;
  const dataset =
    (await findDataset(client, file.name, options)) ??
    (await client.datasets.create({ body: { name: file.name, metadata: { [FILE_MARK]: true } } }, options));
  const isOurs = dataset.metadata?.[FILE_MARK] === true;
  const wanted = file.examples.map((example) => exampleOf(dataset.id, example));
  const ids = new Set(wanted.map(({ id }) => id));
  const known = new Map<string, Listed>();
  for await (const listed of listExamples(client, dataset.id, signal === undefined ? {} : { signal })) {
    if (listed.id !== undefined) known.set(listed.id, listed);
  }
  const added = wanted.filter(({ id }) => !known.has(id));
  await addExamples(client, iterate(added), options);
  const changed = wanted.filter((example) => {
    const there = known.get(example.id);
    return there !== undefined && !isEqual(there, example);
  });
  if (changed.length > 0) await client.examples.updateMany({ body: changed }, options);
  const gone = isOurs ? [...known.keys()].filter((id) => !ids.has(id)) : [];
  for (let at = 0; at < gone.length; at += 100) {
    await client.examples.deleteMany({ query: { example_ids: gone.slice(at, at + 100) } }, options);
  }
  const [version] = await client.datasets.versions(
    { params: { dataset_id: dataset.id }, query: { limit: 1 } },
    options,
  );
  return { id: dataset.id, exampleIds: wanted.map(({ id }) => id), version: version?.as_of };
}

type Listed = Awaited<ReturnType<Client['examples']['list']>>[number];
type Wanted = NewExample & { id: string };

function exampleOf(datasetId: string, { id, key, inputs, outputs, metadata, split }: FileExample): Wanted {
  return {
    // The same line in the file of another dataset is another example.
    id: id !== undefined && validate(id) ? id.toLowerCase() : uuidv5(key, datasetId),
    dataset_id: datasetId,
    inputs,
    outputs: outputs ?? null,
    metadata: metadata ?? {},
    split: split ?? 'base',
  };
}

function isEqual(there: Listed, { inputs, outputs, metadata, split }: Wanted): boolean {
  const { dataset_split = ['base'], ...others } = there.metadata ?? {};
  return isDeepStrictEqual(
    [there.inputs ?? {}, there.outputs ?? null, others, asList(dataset_split)],
    [inputs, outputs, metadata, asList(split)],
  );
}

function asList(split: unknown): unknown[] {
  return Array.isArray(split) ? split.toSorted() : [split];
}

async function* iterate<Item>(items: readonly Item[]): AsyncGenerator<Item, void, undefined> {
  yield* items;
}
