import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { MoveError } from './move-error.ts';
import type { SourceFolder } from './source-folder.ts';
import { BLOBS, type Progress, type TeamDatabase } from './team-database.ts';

const COLUMNS = [
  { name: 'name', keyPlace: 1 },
  { name: 'data', keyPlace: 0 },
] as const;

/** The names of large payloads of traces, in order. Files that a crash left without their trace stay. */
export function findBlobs(source: SourceFolder): string[] {
  const folder = blobsOf(source);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep))
    .filter(([tier = '', traceId = '']) => /^ttl_\d+d$/.test(tier) && source.hasTrace(traceId))
    .map((parts) => parts.join('/'))
    .sort();
}

/** Stores them behind the last one that is stored already. */
export async function moveBlobs(
  { source, names }: { source: SourceFolder; names: readonly string[] },
  team: TeamDatabase,
  progress: Progress,
): Promise<void> {
  const [last = ''] = progress.last[BLOBS] ?? [];
  for (const name of names) {
    if (name <= String(last)) continue;
    progress.last[BLOBS] = [name];
    const data = zstdCompressSync(readFileSync(path.join(blobsOf(source), name)));
    await team.store(BLOBS, [{ name, data }], COLUMNS, progress);
  }
}

/** Fetches those of a workspace. */
export async function fetchBlobs(
  team: TeamDatabase,
  of: { readonly where: string; readonly id: string },
  store: (name: string, bytes: Uint8Array) => void,
): Promise<void> {
  for await (const { name, data } of team.rows(BLOBS, COLUMNS, of))
    if (data instanceof Uint8Array) store(String(name), zstdDecompressSync(data));
}

/** @throws MoveError when the two sides differ. */
export async function compareBlobs(
  { source, names }: { source: SourceFolder; names: readonly string[] },
  team: TeamDatabase,
  of?: { readonly where: string; readonly id: string },
): Promise<void> {
  const waiting = new Set(names);
  for await (const { name, data } of team.rows(BLOBS, COLUMNS, of)) {
    if (!waiting.delete(String(name))) throw differs(`there is a payload ${name} in the database alone`);
    const bytes = data instanceof Uint8Array ? zstdDecompressSync(data) : Buffer.alloc(0);
    if (hashOf(bytes) !== hashOf(readFileSync(path.join(blobsOf(source), String(name)))))
      throw differs(`${name} has other contents in the database`);
  }
  const [missing] = waiting;
  if (missing !== undefined) throw differs(`${missing} is not in the database`);
}

function differs(how: string): MoveError {
  return new MoveError(
    `Payloads of traces differ: ${how}. No server starts with what was moved. Move into an empty database, or a new folder.`,
  );
}

function blobsOf({ dataDir }: SourceFolder): string {
  return path.join(dataDir, 'blobs');
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
