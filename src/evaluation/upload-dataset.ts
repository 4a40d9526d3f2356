import { isDeepStrictEqual } from 'node:util';
import { v5 as uuidv5, validate } from 'uuid';
import type { Client } from '../client/client.ts';
import {
  addExamples,
  deleteExamples,
  listExamples,
  MAX_IDS_IN_URL,
  type NewExample,
} from '../client/examples.ts';
import { findDataset } from '../client/find-dataset.ts';
import { RequestError } from '../client/request-error.ts';
import type { CallOptions } from '../client/transport.ts';
import type { Dataset } from '../contract/datasets/datasets.ts';
import { millisecondsOf } from '../terms/times.ts';
import type { DatasetFile, FileExample } from './dataset-file.ts';
import { EvaluationError } from './evaluation-error.ts';
import { FILE_KEY, PROJECT_KEY, platformNames, UPLOADED_KEY } from './project-identity.ts';

/** A dataset on the platform with the examples in a file. */
export interface UploadedDataset {
  readonly id: string;
  readonly name: string;
  /** The IDs of the examples, in the order of the file. */
  readonly exampleIds: readonly string[];
  /** The version with these examples, if the platform has versions. */
  readonly version: string | undefined;
  /**
   * The number of examples that had been changed or added on the platform since the last upload, and were
   * reset to the file or deleted.
   */
  readonly overwritten: number;
}

/** The project that a dataset's file is in. */
export interface UploadingProject {
  /** The identity of the project; see `identifyProject`. */
  readonly identity: string;
  /** The path of the file relative to the folder of its langgraph.json, with slashes. */
  readonly place: string;
}

/** How often an upload is tried, because other processes may upload the same dataset at the same time. */
const MAX_TRIES = 5;

/**
 * Updates the dataset on the platform to the examples in its file. Only differences are written. Each change makes a new
 * version, so that earlier experiments keep theirs. In a dataset that was not created by an upload, examples that are not
 * in the file are kept.
 * @throws RequestError; EvaluationError when all names are taken
 */
export async function uploadDataset(
  client: Pick<Client, 'datasets' | 'examples'>,
  file: DatasetFile,
  project: UploadingProject,
  options: Pick<CallOptions, 'signal'> = {},
): Promise<UploadedDataset> {
  for (let tries = 1; ; tries++) {
    try {
      return await upload(client, file, project, options);
    } catch (error) {
      if (!(error instanceof RequestError) || tries === MAX_TRIES) throw error;
      if (error.status !== 404 && error.status !== 409) throw error;
    }
  }
}

/**
 * Finds the dataset that a file is uploaded to.
 * @returns undefined if there is none yet, or if other projects have all of its names
 * @throws RequestError
 */
export async function findUploaded(
  client: Pick<Client, 'datasets'>,
  { name: own }: Pick<DatasetFile, 'name'>,
  project: string,
  options: Pick<CallOptions, 'signal'>,
): Promise<Dataset | undefined> {
  for (const name of platformNames(own, project)) {
    const found = await findDataset(client, name, options);
    if (found === undefined || belongsTo(found, project)) return found;
  }
  return undefined;
}

/** Whether a dataset belongs to a project, or to none. */
function belongsTo({ metadata }: Dataset, project: string): boolean {
  const owner = metadata?.[PROJECT_KEY];
  return owner === undefined || owner === project;
}

/** Finds the dataset of a file, or creates it. @throws RequestError; EvaluationError when all names are taken */
async function findOrCreate(
  client: Pick<Client, 'datasets'>,
  { name: own }: DatasetFile,
  project: string,
  options: Pick<CallOptions, 'signal'>,
): Promise<Dataset> {
  const metadata = { [PROJECT_KEY]: project };
  for (const name of platformNames(own, project)) {
    const found = await findDataset(client, name, options);
    if (found === undefined) return client.datasets.create({ body: { name, metadata } }, options);
    if (belongsTo(found, project)) return found;
  }
  throw new EvaluationError(
    `The platform has datasets of other projects for each name of '${own}'. Name it in its first line: {"dataset": {"name": "another"}}.`,
  );
}

/** Uploads once; see `uploadDataset`. Another upload at the same time makes it fail with 404 or 409. */
async function upload(
  client: Pick<Client, 'datasets' | 'examples'>,
  file: DatasetFile,
  { identity, place }: UploadingProject,
  options: Pick<CallOptions, 'signal'>,
): Promise<UploadedDataset> {
  const dataset = await findOrCreate(client, file, identity, options);
  const isOurs = dataset.metadata?.[PROJECT_KEY] === identity;
  const known = await readKnown(client, dataset.id, options);
  const newIds = file.examples.flatMap(({ id }) => (isUuid(id) && !known.has(id.toLowerCase()) ? [id] : []));
  const taken = await findTaken(client, dataset.id, newIds, options);
  const wanted = file.examples.map((example) => exampleOf(dataset.id, example, taken));
  const differences = differencesOf(known, wanted, isOurs);
  await writeDifferences(client, dataset.id, differences, options);
  const [version] = await client.datasets.versions(
    { params: { dataset_id: dataset.id }, query: { limit: 1 } },
    options,
  );
  if (isOurs && version !== undefined) {
    await noteUpload(client, dataset, { [FILE_KEY]: place, [UPLOADED_KEY]: version.as_of }, options);
  }
  const replaced = [...differences.changed.map(({ id }) => id), ...differences.gone];
  const since = dataset.metadata?.[UPLOADED_KEY];
  return {
    id: dataset.id,
    name: dataset.name,
    exampleIds: wanted.map(({ id }) => id),
    version: version?.as_of,
    overwritten:
      typeof since === 'string'
        ? replaced.filter((id) => isLater(known.get(id)?.modified_at, since)).length
        : 0,
  };
}

/** Reads the examples of a dataset, by ID. */
async function readKnown(
  client: Pick<Client, 'examples'>,
  datasetId: string,
  { signal }: Pick<CallOptions, 'signal'>,
): Promise<ReadonlyMap<string, Listed>> {
  const known = new Map<string, Listed>();
  for await (const listed of listExamples(client, datasetId, signal === undefined ? {} : { signal })) {
    if (listed.id !== undefined) known.set(listed.id, listed);
  }
  return known;
}

/** How the examples in a file differ from those on the platform. */
interface Differences {
  readonly added: readonly Wanted[];
  readonly changed: Wanted[];
  /** The IDs of examples to delete. */
  readonly gone: readonly string[];
}

/** @param deletesOthers whether examples that are not in the file are deleted */
function differencesOf(
  known: ReadonlyMap<string, Listed>,
  wanted: readonly Wanted[],
  deletesOthers: boolean,
): Differences {
  const ids = new Set(wanted.map(({ id }) => id));
  return {
    added: wanted.filter(({ id }) => !known.has(id)),
    changed: wanted.filter((example) => {
      const there = known.get(example.id);
      return there !== undefined && !isEqual(there, example);
    }),
    gone: deletesOthers ? [...known.keys()].filter((id) => !ids.has(id)) : [],
  };
}

async function writeDifferences(
  client: Pick<Client, 'examples'>,
  datasetId: string,
  { added, changed, gone }: Differences,
  options: Pick<CallOptions, 'signal'>,
): Promise<void> {
  await addExamples(client, iterate(added), { ...options, into: () => datasetId });
  if (changed.length > 0) await client.examples.updateMany({ body: changed }, options);
  await deleteExamples(client, gone, options);
}

/** Records in a dataset's metadata which file has its examples, and in which version. */
async function noteUpload(
  client: Pick<Client, 'datasets'>,
  { id, metadata }: Dataset,
  noted: Readonly<Record<string, string>>,
  options: Pick<CallOptions, 'signal'>,
): Promise<void> {
  const isNoted = Object.entries(noted).every(([key, value]) => metadata?.[key] === value);
  if (isNoted) return;
  const body = { metadata: { ...metadata, ...noted } };
  await client.datasets.update({ params: { dataset_id: id }, body }, options);
}

function isLater(time: string | null | undefined, other: string): boolean {
  return (millisecondsOf(time ?? undefined) ?? 0) > (millisecondsOf(other) ?? 0);
}

type Listed = Awaited<ReturnType<Client['examples']['list']>>[number];
type Wanted = NewExample & { id: string };

/**
 * Finds the IDs that examples of other datasets have, for example because the file is a copy. IDs are unique on a
 * platform.
 */
async function findTaken(
  client: Pick<Client, 'examples'>,
  datasetId: string,
  ids: readonly string[],
  options: Pick<CallOptions, 'signal'>,
): Promise<ReadonlySet<string>> {
  const taken = new Set<string>();
  for (let at = 0; at < ids.length; at += MAX_IDS_IN_URL) {
    const id = ids.slice(at, at + MAX_IDS_IN_URL);
    for (const there of await client.examples.list({ query: { id, limit: id.length } }, options)) {
      if (there.id !== undefined && there.dataset_id !== datasetId) taken.add(there.id);
    }
  }
  return taken;
}

function isUuid(id: string | undefined): id is string {
  return id !== undefined && validate(id);
}

/** An example of a file as the platform stores it; its ID is the same in each upload. */
function exampleOf(
  datasetId: string,
  { id, key, name, inputs, outputs, metadata, split }: FileExample,
  taken: ReadonlySet<string>,
): Wanted {
  const uuid = isUuid(id) ? id.toLowerCase() : undefined;
  return {
    // The same line in another dataset's file is a different example.
    id: uuid === undefined || taken.has(uuid) ? uuidv5(key, datasetId) : uuid,
    dataset_id: datasetId,
    inputs,
    outputs: outputs ?? null,
    // The name goes into the metadata, because platforms name examples themselves.
    metadata: { ...(name === undefined ? {} : { name }), ...metadata },
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
