import type { Selectable } from 'kysely';
import { v4 as uuidv4 } from 'uuid';
import type { Example, ExampleCreate, ExampleUpdate } from '../../../contract/datasets/examples.ts';
import { conflict, invalid, notFound } from '../../http/errors.ts';
import { jsonOrNull, parseStored } from '../../storage/stored-json.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { parseStorableTime } from '../database/time.ts';
import type { ExampleVersionTable } from '../database/traces-schema.ts';
import { ensureWorkspaceKey } from '../sessions/workspace-keys.ts';
import {
  copyFiles,
  type ExampleFile,
  nextAttachments,
  type StoredFiles,
  storeFiles,
} from './example-attachments.ts';
import { ExampleSchemas } from './example-schemas.ts';
import { NewVersions } from './new-versions.ts';
import { exampleOf } from './read-examples.ts';
import { requireDatasetKey } from './require-dataset-key.ts';
import { readSource } from './source-run.ts';
import { hasSameContents, isDatasetOfTestPlugin } from './test-plugins.ts';

type Row = Selectable<ExampleVersionTable>;

/** An example to add; `files` are its attachments, and `storedFiles` those of another example, which are copied. */
export interface NewExample extends ExampleCreate {
  readonly files?: readonly ExampleFile[];
  readonly storedFiles?: StoredFiles;
}

/** A change of an example; `files` are new attachments. */
export interface ChangedExample extends ExampleUpdate {
  readonly id: string;
  readonly files?: readonly ExampleFile[];
}

/** The outcome of a write. */
export interface Written {
  readonly examples: Example[];
  /** The last of the new versions, in microseconds; 0 without any. */
  readonly asOf: number;
}

/**
 * Adds examples, creating one new version in each dataset. A deleted example is restored under its ID.
 * @throws HttpError 404 for a missing dataset or source run, 409 for an existing ID, 422 for an example
 * without inputs, or one that does not match the schema of its dataset.
 */
export function createExamples(
  context: WriterContext,
  request: { workspaceId: string; examples: readonly NewExample[] },
): Written {
  const { db } = context;
  const workspace = ensureWorkspaceKey(db, context.caches, request.workspaceId);
  const versions = new NewVersions(db);
  const schemas = new ExampleSchemas(db);
  let asOf = 0;
  const write = (example: NewExample): Row => {
    const dataset = requireDatasetKey(db, workspace, example.dataset_id);
    const before = example.id ? findExample(context, workspace, example.id) : undefined;
    if (before !== undefined && isOfSameTest(context, before, dataset, example)) return before;
    const row = insertExample(context, { workspace, dataset, versions, example, before });
    schemas.check(dataset, row);
    return row;
  };
  const examples = request.examples.map((example) => {
    const row = write(example);
    asOf = Math.max(asOf, row.from_version);
    return exampleOf(row, example.dataset_id);
  });
  return { examples, asOf };
}

/** Whether another process of the same test has added this example in the meantime. */
function isOfSameTest({ db }: WriterContext, before: Row, dataset: number, example: NewExample): boolean {
  if (before.deleted === 1 || before.dataset !== dataset || example.files?.length) return false;
  return isDatasetOfTestPlugin(db, dataset) && hasSameContents(before, example);
}

/** Validates examples without storing them. @throws the errors of `createExamples`. */
export function validateExamples(
  context: WriterContext,
  request: { workspaceId: string; examples: readonly NewExample[] },
): Example[] {
  let examples: Example[] = [];
  try {
    context.db.transaction(() => {
      examples = createExamples(context, request).examples;
      throw new Validated();
    });
  } catch (error) {
    if (!(error instanceof Validated)) throw error;
  }
  return examples;
}

/** Rolls back the validation. */
class Validated extends Error {}

function insertExample(
  context: WriterContext,
  request: {
    workspace: number;
    dataset: number;
    versions: NewVersions;
    example: NewExample;
    /** The current example with the same ID. */
    before: Row | undefined;
  },
): Row {
  const { db } = context;
  const { workspace, dataset, versions, example, before } = request;
  const id = example.id ?? uuidv4();
  if (before?.deleted === 0) throw conflict(`Example '${id}' already exists.`);
  const source = readSource(context, workspace, example);
  const inputs = example.inputs ?? source?.inputs;
  if (inputs === undefined) throw invalid(['body', 'inputs'], `Example '${id}' has no inputs.`, 'missing');
  const files = [...(source?.files ?? []), ...(example.files ?? [])];
  const version = versions.of(dataset);
  const row: Omit<Row, 'key'> = {
    workspace,
    dataset,
    id,
    from_version: version,
    to_version: null,
    name: before?.name ?? `#${versions.nextNumber(dataset)}`,
    deleted: 0,
    inputs: JSON.stringify(inputs),
    outputs: jsonOrNull(example.outputs ?? source?.outputs),
    metadata: JSON.stringify({
      ...example.metadata,
      dataset_split: splitsOf(example.split, example.metadata),
    }),
    source_run_id: example.source_run_id ?? null,
    attachments: storeFiles(
      context,
      workspace,
      id,
      files,
      copyFiles(context, workspace, id, example.storedFiles ?? {}),
    ),
    created_at: example.created_at ? parseStorableTime(example.created_at, ['body', 'created_at']) : version,
  };
  if (before !== undefined) return supersede(context, before, version, row);
  const { key } = db.insert(db.build.insertInto('example_versions').values(row).returning('key'));
  return { ...row, key };
}

/**
 * Updates examples; absent fields are unchanged.
 * @param request.datasetId the dataset that they must belong to, if one was named.
 * @throws HttpError 404, 422 for fields that do not match the schema of the dataset, 409 for an example of another
 * dataset.
 */
export function updateExamples(
  context: WriterContext,
  request: { workspaceId: string; changes: readonly ChangedExample[]; datasetId?: string | undefined },
): Written {
  const { db } = context;
  const workspace = ensureWorkspaceKey(db, context.caches, request.workspaceId);
  const versions = new NewVersions(db);
  const schemas = new ExampleSchemas(db);
  const named =
    request.datasetId === undefined ? undefined : requireDatasetKey(db, workspace, request.datasetId);
  const examples = request.changes.map((changes) => {
    const row = requireChangeable(context, workspace, changes);
    if (named !== undefined && row.dataset !== named) {
      throw conflict(`Example '${row.id}' does not belong to dataset '${request.datasetId}'.`);
    }
    const target = changes.dataset_id ? requireDatasetKey(db, workspace, changes.dataset_id) : row.dataset;
    const next = supersede(context, row, versions.of(row.dataset), {
      dataset: target,
      // A moved example begins with a new version in the other dataset.
      from_version: versions.of(target),
      deleted: 0,
      ...changedContents(context, row, changes),
    });
    if (changes.inputs || changes.outputs || changes.dataset_id) schemas.check(target, next);
    return exampleOf(next, changes.dataset_id ?? readDatasetId(context, next.dataset));
  });
  return { examples, asOf: versions.last };
}

/** The contents of an example after an update; new attachments are stored. @throws HttpError 422 */
function changedContents(context: WriterContext, row: Row, changes: ChangedExample) {
  const metadata = row.metadata === null ? {} : parseStored(row.metadata);
  const kept = nextAttachments(row.attachments, changes);
  return {
    inputs: changes.inputs ? JSON.stringify(changes.inputs) : row.inputs,
    outputs: changes.outputs ? JSON.stringify(changes.outputs) : row.outputs,
    metadata: JSON.stringify({
      ...(changes.metadata ?? metadata),
      dataset_split: nextSplits(changes, metadata),
    }),
    attachments: storeFiles(context, row.workspace, row.id, changes.files ?? [], kept),
  };
}

/**
 * Soft-deletes examples: adds tombstones with null inputs and outputs in a new version; earlier versions keep the
 * example (docs/interface/purging.md#examples).
 * @throws HttpError 404
 */
export function softDeleteExamples(
  context: WriterContext,
  request: { workspaceId: string; exampleIds: readonly string[] },
): { count: number } {
  const workspace = ensureWorkspaceKey(context.db, context.caches, request.workspaceId);
  const versions = new NewVersions(context.db);
  const ids = new Set(request.exampleIds);
  for (const id of ids) {
    const row = requireExample(context, workspace, id);
    supersede(context, row, versions.of(row.dataset), {
      deleted: 1,
      inputs: null,
      outputs: null,
      attachments: null,
    });
  }
  return { count: ids.size };
}

/**
 * Puts examples into a split, or takes them out, as a new version.
 * @returns the IDs of the examples.
 * @throws HttpError 404
 */
export function updateSplits(
  context: WriterContext,
  request: {
    workspaceId: string;
    datasetId: string;
    split: string;
    exampleIds: readonly string[];
    remove: boolean;
  },
): string[] {
  const workspace = ensureWorkspaceKey(context.db, context.caches, request.workspaceId);
  const dataset = requireDatasetKey(context.db, workspace, request.datasetId);
  const versions = new NewVersions(context.db);
  for (const id of request.exampleIds) {
    const row = requireExample(context, workspace, id);
    if (row.dataset !== dataset) throw notFound('Example', id);
    const metadata = row.metadata === null ? {} : parseStored(row.metadata);
    const splits = new Set(splitsOf(undefined, metadata));
    if (request.remove) splits.delete(request.split);
    else splits.add(request.split);
    supersede(context, row, versions.of(dataset), {
      metadata: JSON.stringify({ ...metadata, dataset_split: [...splits] }),
    });
  }
  return [...request.exampleIds];
}

/**
 * Ends a row at a version and writes its successor, in the same dataset unless `changes` name another. If the row
 * itself belongs to this version, because the request names the example twice, it is changed instead.
 */
function supersede({ db }: WriterContext, row: Row, version: number, changes: Partial<Row>): Row {
  const { key, ...columns } = { ...row, from_version: version, ...changes, to_version: null };
  if (row.from_version === version) {
    db.run(db.build.updateTable('example_versions').set(columns).where('key', '=', key));
    return { ...columns, key };
  }
  db.statement('UPDATE example_versions SET to_version = ? WHERE key = ?').run(version, row.key);
  const inserted = db.insert(db.build.insertInto('example_versions').values(columns).returning('key'));
  return { ...columns, key: inserted.key };
}

function findExample({ db }: WriterContext, workspace: number, id: string): Row | undefined {
  return db.get(
    db.build
      .selectFrom('example_versions')
      .selectAll()
      .where('id', '=', id)
      .where('workspace', '=', workspace)
      .where('to_version', 'is', null),
  );
}

function requireExample(context: WriterContext, workspace: number, id: string): Row {
  const row = findExample(context, workspace, id);
  if (row === undefined || row.deleted === 1) throw notFound('Example', id);
  return row;
}

/** Finds the example to update. Test plugins update an example even if it was deleted, which restores it. */
function requireChangeable(context: WriterContext, workspace: number, { id, inputs }: ChangedExample): Row {
  const row = findExample(context, workspace, id);
  if (row?.deleted === 1 && inputs && isDatasetOfTestPlugin(context.db, row.dataset)) return row;
  return requireExample(context, workspace, id);
}

function readDatasetId({ db }: WriterContext, key: number): string {
  return String(db.statement('SELECT id FROM datasets WHERE key = ?').get(key)?.id);
}

/** The splits of an example after an update: those that it names, or else the earlier ones. */
function nextSplits(
  { split, metadata }: Pick<ExampleUpdate, 'split' | 'metadata'>,
  before: Readonly<Record<string, unknown>>,
): unknown {
  return split ? splitsOf(split, undefined) : (metadata?.dataset_split ?? before.dataset_split ?? ['base']);
}

/** The splits of an example. They are stored in the metadata, where public clients read them. */
function splitsOf(split: ExampleCreate['split'], metadata: ExampleCreate['metadata']): string[] {
  if (split) return Array.isArray(split) ? split : [split];
  const given = metadata?.dataset_split;
  if (Array.isArray(given)) return given.map(String);
  return typeof given === 'string' ? [given] : ['base'];
}
