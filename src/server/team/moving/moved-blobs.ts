import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { RunPayload } from '../../../contract/tracing/runs.ts';
import { HEAD_BYTES } from '../../storage/blob-store.ts';
import { LARGE_PART_BYTES } from '../../tracing/api/ingestion/part-gatherer.ts';
import { wordsRow } from '../../tracing/database/word-index.ts';
import type { Objects } from '../objects/objects.ts';
import { objectName } from '../traces/object-name.ts';
import { packHead } from '../traces/postgres-blobs.ts';
import type { BlockPayloads } from './block-payloads.ts';
import { MoveError } from './move-error.ts';
import type { Row } from './row.ts';
import type { SourceFolder } from './source-folder.ts';
import { BLOBS, type Progress, type RowsOfWorkspace, type TeamDatabase } from './team-database.ts';

const COLUMNS = [
  { name: 'name', keyPlace: 1 },
  { name: 'data', keyPlace: 0 },
  { name: 'object', keyPlace: 0 },
  { name: 'head', keyPlace: 0 },
] as const;

/** A large payload in a folder. */
interface MovedBlob {
  readonly name: string;
  /** Whether the beginning of the payload can be searched. */
  readonly isSearched: boolean;
  read(): Buffer;
}

/**
 * Where a team stores large payloads: in its object store, if it has one and servers would upload a payload
 * of this size; otherwise, in its database.
 */
interface TeamBlobs {
  readonly team: TeamDatabase;
  readonly objects: Objects | undefined;
}

/**
 * Finds the large payloads of traces, in the order of their names. Files that a crash left without their trace are
 * skipped.
 * @param inBlocks payloads that were rows and become blobs.
 */
export function findBlobs(source: SourceFolder, inBlocks?: BlockPayloads): MovedBlob[] {
  const searched = searchedIn(source);
  const named = new Map([...source.blobNames()].map((name) => [withoutRetention(name), name]));
  const files = fileNames(source).map((file) => {
    // A file may have been moved to another retention without the row that names it being committed.
    const name = named.get(withoutRetention(file)) ?? file;
    return {
      name,
      isSearched: searched.has(name),
      read: () => readFileSync(path.join(blobsOf(source), file)),
    };
  });
  const rows = [...(inBlocks?.all() ?? [])].map(({ name, run, kind, block }) => ({
    name,
    isSearched: wordsRow(run, kind) !== undefined,
    read: () => source.readBlock(block),
  }));
  return [...files, ...rows].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function fileNames(source: SourceFolder): string[] {
  const folder = blobsOf(source);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep))
    .filter(([tier = '', traceId = '']) => /^ttl_\d+d$/.test(tier) && source.hasTrace(traceId))
    .map((parts) => parts.join('/'));
}

function withoutRetention(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}

/** Moves the payloads after the last one that is already stored. */
export async function moveBlobs(
  blobs: readonly MovedBlob[],
  { team, objects }: TeamBlobs,
  progress: Progress,
): Promise<void> {
  const [last = ''] = progress.last[BLOBS] ?? [];
  for (const blob of blobs) {
    if (blob.name <= String(last)) continue;
    progress.last[BLOBS] = [blob.name];
    await team.store(BLOBS, [await rowOf(blob, objects)], COLUMNS, progress);
  }
}

/**
 * Returns the row of a large payload. If the payload belongs in the object store, its object is stored first,
 * so that a row never refers to a missing object.
 */
async function rowOf({ name, isSearched, read }: MovedBlob, objects: Objects | undefined): Promise<Row> {
  const bytes = read();
  const data = zstdCompressSync(bytes);
  if (objects === undefined || bytes.length <= LARGE_PART_BYTES)
    return { name, data, object: null, head: null };
  const object = objectName(path.posix.basename(name));
  await put(objects, object, data);
  return { name, data: null, object, head: isSearched ? packHead(bytes) : null };
}

/** Fetches the payloads of a workspace. @returns how many are missing from the object store. */
export async function fetchBlobs(
  { team, objects }: TeamBlobs,
  workspace: RowsOfWorkspace,
  store: (name: string, bytes: Uint8Array) => void,
): Promise<number> {
  let lost = 0;
  for await (const row of team.rows(BLOBS, COLUMNS, workspace)) {
    const bytes = await bytesOf(row, objects);
    if (bytes === undefined) lost++;
    else store(String(row.name), bytes);
  }
  return lost;
}

/**
 * Compares the payloads of a folder with those of a team, or of one of its workspaces.
 * @throws MoveError when the two sides differ.
 */
export async function compareBlobs(
  blobs: readonly MovedBlob[],
  { team, objects }: TeamBlobs,
  workspace?: RowsOfWorkspace,
): Promise<void> {
  const waiting = new Map(blobs.map((blob) => [blob.name, blob]));
  for await (const row of team.rows(BLOBS, COLUMNS, workspace)) {
    const { head } = row;
    const name = String(row.name);
    const bytes = await bytesOf(row, objects);
    const blob = waiting.get(name);
    waiting.delete(name);
    // A payload that the store has lost is on neither side.
    if (bytes === undefined && blob === undefined) continue;
    if (bytes === undefined) throw differs(`${name} is not in the object store`);
    if (blob === undefined) throw differs(`there is a payload ${name} only in the ${placeOf(row)}`);
    const inFolder = blob.read();
    if (hashOf(bytes) !== hashOf(inFolder))
      throw differs(`${name} has other contents in the ${placeOf(row)}`);
    // Payloads that servers of the team have stored themselves are not part of this move.
    const isSearched = workspace === undefined && row.object !== null && blob.isSearched;
    const beginning = head instanceof Uint8Array ? zstdDecompressSync(head) : undefined;
    if (beginning === undefined ? isSearched : !beginning.equals(inFolder.subarray(0, HEAD_BYTES)))
      throw differs(`${name} starts with other contents in the database`);
  }
  const [missing] = waiting.keys();
  if (missing !== undefined) throw differs(`${missing} is not in the database`);
}

/**
 * The bytes of a payload in a team.
 * @returns undefined if the object store has lost it.
 * @throws MoveError if it is in an object store, but none was given.
 */
async function bytesOf({ data, object }: Row, objects: Objects | undefined): Promise<Buffer | undefined> {
  if (data instanceof Uint8Array) return zstdDecompressSync(data);
  if (objects === undefined)
    throw new MoveError(
      'Payloads of traces are in the object store of the team. Pass --objects with its location.',
    );
  return get(objects, String(object));
}

function placeOf({ data }: Row): string {
  return data === null ? 'object store' : 'database';
}

/** The names of files whose beginnings can be searched. */
function searchedIn(source: SourceFolder): ReadonlySet<string> {
  const kinds = RunPayload.options.filter((kind) => wordsRow(0, kind) !== undefined);
  return new Set(kinds.flatMap((kind) => [...source.blobsOf(kind)]));
}

function put(objects: Objects, name: string, bytes: Uint8Array): Promise<void> {
  return withFile(async (file) => {
    await writeFile(file, bytes);
    await objects.put(name, file);
  });
}

function get(objects: Objects, name: string): Promise<Buffer | undefined> {
  return withFile(async (file) =>
    (await objects.get(name, file)) ? zstdDecompressSync(await readFile(file)) : undefined,
  );
}

async function withFile<Result>(work: (file: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-harbor-move-'));
  try {
    return await work(path.join(folder, 'object'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function differs(how: string): MoveError {
  return new MoveError(
    `Payloads of traces differ: ${how}. The copy cannot be used. Move into an empty database, or a new folder.`,
  );
}

function blobsOf({ dataDir }: SourceFolder): string {
  return path.join(dataDir, 'blobs');
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
