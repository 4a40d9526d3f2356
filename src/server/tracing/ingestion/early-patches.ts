import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { isObject } from '../../../process/objects.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { BoundStatement } from '../../storage/sync-database.ts';
import { nowMicros } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import type { Part } from '../runs/parts.ts';

/** Keeps an update until its post arrives. */
export function keepEarlyPatch(
  db: TracesDatabase,
  workspace: number,
  patch: {
    runId: string;
    traceId: string | undefined;
    /** The projects to which the sender may write; all when undefined. */
    projects: readonly string[] | undefined;
    parts: readonly { name: string; bytes: Uint8Array }[];
  },
): void {
  const listed = patch.parts.map(({ name, bytes }): [string, number] => [name, bytes.length]);
  const directory = JSON.stringify(
    patch.projects === undefined ? listed : { parts: listed, projects: patch.projects },
  );
  const head = Buffer.from(`${directory}\n`);
  db.statement(
    'INSERT INTO early_patches (workspace, run_id, trace_id, parts, received_at) VALUES (?, ?, ?, ?, ?)',
  ).run(
    workspace,
    patch.runId,
    patch.traceId ?? null,
    zstdCompressSync(Buffer.concat([head, ...patch.parts.map(({ bytes }) => bytes)])),
    nowMicros(),
  );
}

/** Selects 1 if any update or feedback is waiting for its run, and else 0. */
export const ANY_EARLY: BoundStatement<{ early: number }> = {
  values: [],
  sql: `SELECT CASE WHEN EXISTS (SELECT 1 FROM early_patches)
  OR EXISTS (SELECT 1 FROM feedback WHERE trace_id IS NULL AND run_id IS NOT NULL) THEN 1 ELSE 0 END AS early`,
};

/** Finds which of these runs have updates or feedback that arrived before them. @returns their IDs. */
export function findEarly(
  db: TracesDatabase,
  workspace: number,
  runIds: readonly string[],
): ReadonlySet<string> {
  const rows = db
    .statement(
      `WITH asked AS (SELECT value AS id FROM json_each(cast(?1 AS text)))
       SELECT run_id FROM early_patches WHERE run_id IN (SELECT id FROM asked) AND workspace = ?2
       UNION SELECT run_id FROM feedback
       WHERE run_id IN (SELECT id FROM asked) AND workspace = ?2 AND trace_id IS NULL AND run_id IS NOT NULL`,
    )
    .all(JSON.stringify(runIds), workspace);
  return new Set(rows.map(({ run_id }) => String(run_id)));
}

/** An update that arrived before its run. */
interface EarlyPatch {
  readonly bytes: Uint8Array;
  readonly parts: Part[];
  readonly projects: readonly string[] | undefined;
}

/** Removes and returns the waiting updates of a run, oldest first. */
export function takeEarlyPatches(db: TracesDatabase, workspace: number, runId: string): EarlyPatch[] {
  const rows = db
    .statement('SELECT rowid, parts FROM early_patches WHERE run_id = ? AND workspace = ? ORDER BY rowid')
    .all(runId, workspace);
  if (rows.length === 0) return [];
  db.statement('DELETE FROM early_patches WHERE run_id = ? AND workspace = ?').run(runId, workspace);
  return rows.map(({ parts }) => unpack(parts));
}

/** Reads the fields of a waiting update, and its `extra` if that was a separate part. */
export function unpackPatch(packed: unknown): { run: Record<string, unknown>; extra: unknown } {
  const { bytes, parts } = unpack(packed);
  const read = (isWanted: (name: string) => boolean): unknown => {
    const part = parts.find(({ name }) => isWanted(name));
    if (part === undefined) return undefined;
    return JSON.parse(Buffer.from(bytes.subarray(part.offset, part.offset + part.length)).toString());
  };
  const run = read((name) => name.split('.').length === 2);
  return { run: isObject(run) ? run : {}, extra: read((name) => name.endsWith('.extra')) };
}

/**
 * The header before the bytes: the names and lengths of the parts, inside an object if the sender was limited to some
 * projects.
 */
type Directory = [string, number][] | { parts: [string, number][]; projects: string[] };

function unpack(packed: unknown): EarlyPatch {
  if (!(packed instanceof Uint8Array)) throw new Error('A waiting update has no content.');
  const whole = zstdDecompressSync(packed);
  const newline = whole.indexOf('\n');
  const directory = parseStored<Directory>(whole.subarray(0, newline).toString());
  const parts: Part[] = [];
  let offset = 0;
  const isLimited = !Array.isArray(directory);
  for (const [name, length] of isLimited ? directory.parts : directory) {
    parts.push({ name, contentType: 'application/json', offset, length });
    offset += length;
  }
  return { bytes: whole.subarray(newline + 1), parts, projects: isLimited ? directory.projects : undefined };
}
