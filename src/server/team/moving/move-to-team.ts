import { formatCount } from '../../../process/format-count.ts';
import { openExistingFolderBox } from '../../control-plane/secrets/folder-key.ts';
import type { SecretBox } from '../../control-plane/secrets/secret-box.ts';
import { openObjectsOf } from '../objects/open-objects.ts';
import { openSharedBox } from '../shared-box.ts';
import { BlockPayloads } from './block-payloads.ts';
import { compareRows, mapRows, mapRowsLater } from './compare-rows.ts';
import { indexWords } from './index-words.ts';
import { MoveError } from './move-error.ts';
import type { MoveRequest } from './move-request.ts';
import { compareBlobs, findBlobs, moveBlobs } from './moved-blobs.ts';
import { describeFiles, findFiles, type MovedFiles, moveFiles } from './moved-files.ts';
import { type NamedAgent, type TeamRowOptions, teamRow } from './moved-row.ts';
import { MOVED_TABLES, type MovedTable } from './moved-tables.ts';
import { keyOf, type Value } from './row.ts';
import { inBatches } from './row-batches.ts';
import { type Boxes, decrypt, openSecrets, reencrypt, SEALED_COLUMNS } from './sealed-columns.ts';
import { SourceFolder } from './source-folder.ts';
import { type Progress, TeamDatabase } from './team-database.ts';

/** Receives a line about each step. */
export type Tell = (line: string) => void;

/**
 * Moves the contents of a data folder to the database and the object store of a team; the folder stays unchanged. An
 * interrupted move continues where it stopped.
 * @param tracesLink the entry point of the thread that has a connection for traces.
 * @throws MoveError, DataFolderError, ObjectsError, SecretBoxError
 */
export async function moveToTeam(request: MoveRequest, tracesLink: URL, tell: Tell): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const source = await SourceFolder.open(request.dataDir);
  cleanup.defer(() => source.close());
  const agent = agentIn(source, request.agent);
  const files = await findFiles(source);
  const hasObjects = request.objects !== undefined;
  const inBlocks = hasObjects ? BlockPayloads.of(source) : undefined;
  const blobs = findBlobs(source, inBlocks);
  const hasSecrets = countSealed(source) > 0;
  checkGiven(request, files, hasSecrets);
  const team = await TeamDatabase.connect(request.database);
  cleanup.defer(() => team.close());
  if (request.isDryRun) {
    await team.check(source.fingerprint);
    describePlan(source, files, tell);
    tell(`${formatCount(blobs.length, 'large payload')} of traces`);
    tell('Nothing was stored: this was a dry run.');
    return;
  }
  const progress = await team.begin(request.database, { source: source.fingerprint, hasObjects });
  const objects =
    request.objects === undefined
      ? undefined
      : await openObjectsOf(team.db, request.objects, request.storeEnvironment);
  const boxes = hasSecrets ? await openBoxes(source, request.secretsKey, team) : undefined;
  const rules = { node: progress.node, agent, inBlocks };
  const sealed: TeamRowOptions = { ...rules, changeSecret: reencrypt(boxes) };
  const opened: TeamRowOptions = { ...rules, changeSecret: decrypt(boxes?.from) };
  for (const table of MOVED_TABLES) await copyTable(table, { source, team, progress, options: sealed, tell });
  await moveBlobs(blobs, { team, objects }, progress);
  if (objects !== undefined) {
    await moveFiles(source, files, objects);
    tell(`In the object store: ${describeFiles(files)}`);
  }
  let rows = 0;
  for (const table of MOVED_TABLES)
    rows += await compareTable(table, { source, team, opened, box: boxes?.to });
  await compareBlobs(blobs, { team, objects });
  await indexWords(request.database, tracesLink);
  await team.finish(progress, source.lastKeys());
  tell(
    `Moved: ${formatCount(rows, 'row')} in ${MOVED_TABLES.length} tables, and ${formatCount(blobs.length, 'large payload')} of traces. Their numbers and hashes are the same on both sides.`,
  );
  describeLeft(source, tell);
}

async function openBoxes(
  { dataDir }: SourceFolder,
  key: Buffer | undefined,
  { db }: TeamDatabase,
): Promise<Boxes | undefined> {
  if (key === undefined) return undefined;
  return { from: await openExistingFolderBox(dataDir), to: await openSharedBox(key, db) };
}

/** @throws MoveError when a key or an object store is needed that was not given. */
function checkGiven({ objects, secretsKey }: MoveRequest, files: MovedFiles, hasSecrets: boolean): void {
  if (objects === undefined && files.builds.length + files.uploads.length > 0)
    throw new MoveError(
      'The folder has deployments. Pass --objects with the place where the servers of the team keep them.',
    );
  if (secretsKey === undefined && hasSecrets)
    throw new MoveError(
      'The folder has secrets. Set AGENT_HARBOR_SECRETS_KEY to the key that the servers of the team encrypt theirs with.',
    );
}

/** Checks that an agent was served from the folder. @throws MoveError if it was not */
function agentIn(source: SourceFolder, agent: NamedAgent | undefined): NamedAgent | undefined {
  if (agent === undefined) return undefined;
  const served = [...source.rows('deployments')].flatMap(({ config_path }) => config_path ?? []);
  if (served.includes(agent.configPath)) return agent;
  throw new MoveError(
    `${agent.configPath} has not been served from this data folder. It has served: ${served.join(', ') || 'no folder'}.`,
  );
}

function countSealed(source: SourceFolder): number {
  let sealed = 0;
  for (const table of MOVED_TABLES)
    for (const column of Object.keys(SEALED_COLUMNS[table] ?? {}))
      sealed += source.countValues(table, column);
  return sealed;
}

/** Copies the rows of a table after the last one that is already stored. */
async function copyTable(
  table: MovedTable,
  work: {
    readonly source: SourceFolder;
    readonly team: TeamDatabase;
    readonly progress: Progress;
    readonly options: TeamRowOptions;
    readonly tell: Tell;
  },
): Promise<void> {
  const { source, team, progress, options, tell } = work;
  const columns = source.columns(table);
  const total = source.count(table);
  let stored = 0;
  for await (const rows of inBatches(source.rows(table, progress.last[table]))) {
    const batch = rows.map((row) => teamRow(table, row, options));
    const last = batch.at(-1);
    if (last !== undefined) progress.last[table] = keyOf(last, columns).map(toKey);
    await team.store(table, batch, columns, progress);
    stored += batch.length;
    tell(`${table}: ${formatCount(stored, 'row')} stored now, ${total.toLocaleString('en')} in all`);
  }
}

/**
 * Compares a table, with decrypted secrets.
 * @returns how many rows there are.
 * @throws MoveError when the sides differ.
 */
async function compareTable(
  table: MovedTable,
  sides: {
    readonly source: SourceFolder;
    readonly team: TeamDatabase;
    /** Converts rows of the folder, and decrypts their secrets. */
    readonly opened: TeamRowOptions;
    /** Decrypts the secrets in rows of the team. */
    readonly box: SecretBox | undefined;
  },
): Promise<number> {
  const { source, team, opened, box } = sides;
  const columns = source.columns(table);
  return compareRows(table, columns, {
    folder: mapRows(source.rows(table), (row) => teamRow(table, row, opened)),
    database: mapRowsLater(team.rows(table, columns), (row) => openSecrets(table, row, box)),
  });
}

function describePlan(source: SourceFolder, files: MovedFiles, tell: Tell): void {
  for (const table of MOVED_TABLES) {
    const rows = source.count(table);
    if (rows > 0) tell(`${table}: ${formatCount(rows, 'row')}`);
  }
  tell(describeFiles(files));
  describeLeft(source, tell);
}

/** Reports the deployments that a team does not serve. */
function describeLeft(source: SourceFolder, tell: Tell): void {
  const images = [...source.rows('deployments')].filter((row) => row.source === 'external_docker');
  for (const { name } of images) tell(`Deployment ${name} is an image, which a team does not serve.`);
}

/** Converts a value of a primary key to JSON, for the stored progress. */
function toKey(value: Value): string | number | null {
  if (value instanceof Uint8Array) throw new TypeError('No primary key has bytes.');
  if (typeof value !== 'bigint') return value;
  const key = Number(value);
  if (!Number.isSafeInteger(key)) throw new RangeError('No primary key is that large.');
  return key;
}
