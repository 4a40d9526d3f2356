import type { Selectable } from 'kysely';
import type { BoundStatement } from '../../storage/sync-database.ts';
import type { KnownSession } from '../context/ingest-caches.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import type { RunTable, TraceTable } from '../database/traces-schema.ts';
import { purgedAmong } from '../runs/purged-traces.ts';
import { type RetentionSetting, retentionSetting } from '../sessions/retention.ts';
import { ANY_EARLY } from './early-patches.ts';

/** A run's row, with data of its trace and its project. */
export type StoredRun = Selectable<RunTable> & {
  readonly trace_id: string;
  readonly session_id: string;
  readonly session_name: string;
};

/** The columns of a trace that storing its runs needs. */
type StoredTrace = Pick<Selectable<TraceTable>, 'id' | 'key' | 'session' | 'ttl_days' | 'run_count'>;

// These statements are constants because every request uses them. One parameter takes any number of IDs.
const LISTED = 'IN (SELECT value FROM json_each(cast(? AS text)))';
const RUNS = `SELECT runs.*, traces.id AS trace_id, sessions.id AS session_id, sessions.name AS session_name
  FROM runs JOIN traces ON traces.key = runs.trace JOIN sessions ON sessions.key = runs.session
  WHERE runs.id ${LISTED} AND runs.workspace = ?`;
const TRACES = `SELECT id, key, session, ttl_days, run_count FROM traces WHERE id ${LISTED} AND workspace = ?`;

/** The data that is needed to store new runs. */
interface ReadAhead {
  readonly hasEarly: boolean;
  readonly retention: RetentionSetting | undefined;
}

/** Rows that a request may need, loaded at once; missing ones are loaded on demand. */
export class StoredRuns {
  readonly #db: TracesDatabase;
  readonly #workspace: number;
  /** `undefined` for a missing run. */
  readonly #runs = new Map<string, StoredRun | undefined>();
  readonly #traces = new Map<string, StoredTrace | undefined>();
  /** Whether a trace was purged, by ID. */
  readonly #purged = new Map<string, boolean>();
  readonly #sessions = new Map<number, KnownSession>();
  #ahead: ReadAhead | undefined;

  constructor(db: TracesDatabase, workspace: number) {
    this.#db = db;
    this.#workspace = workspace;
  }

  /** Reads the runs and traces with these IDs, and the data that is needed to store new ones. */
  readAhead(ids: { runs: ReadonlySet<string>; traces: ReadonlySet<string> }): void {
    const [runs, traces, retention, [early], purged] = this.#db.allOf([
      this.#runsOf([...ids.runs]),
      this.#tracesOf([...ids.traces]),
      retentionSetting(this.#workspace),
      ANY_EARLY,
      purgedAmong(this.#workspace, [...ids.traces]),
    ]);
    note(this.#runs, ids.runs, runs);
    note(this.#traces, ids.traces, traces);
    this.#notePurged([...ids.traces], purged);
    this.#ahead = { retention: retention[0], hasEarly: early?.early === 1 };
  }

  find(id: string): StoredRun | undefined {
    if (!this.#runs.has(id)) note(this.#runs, [id], this.#db.allOf([this.#runsOf([id])])[0]);
    return this.#runs.get(id);
  }

  findTrace(id: string): StoredTrace | undefined {
    if (!this.#traces.has(id)) note(this.#traces, [id], this.#db.allOf([this.#tracesOf([id])])[0]);
    return this.#traces.get(id);
  }

  /** The project with a key, which must exist. */
  findSession(key: number): KnownSession {
    const known = this.#sessions.get(key);
    if (known !== undefined) return known;
    const row = this.#db.statement('SELECT id, name FROM sessions WHERE key = ?').get(key);
    // The tier of a project matters only to new traces.
    const session = { key, id: String(row?.id), name: String(row?.name), tier: null };
    this.#sessions.set(key, session);
    return session;
  }

  /** Whether a trace was recently purged. */
  isPurged(traceId: string): boolean {
    if (!this.#purged.has(traceId))
      this.#notePurged([traceId], this.#db.allOf([purgedAmong(this.#workspace, [traceId])])[0]);
    return this.#purged.get(traceId) === true;
  }

  #notePurged(traceIds: readonly string[], purged: readonly { trace_id: string }[]): void {
    for (const id of traceIds) this.#purged.set(id, false);
    for (const { trace_id } of purged) this.#purged.set(trace_id, true);
  }

  /** The project of a run that is stored. */
  sessionOf(id: string): KnownSession {
    const run = this.find(id);
    if (run === undefined) throw new Error(`The run ${id} is not stored.`);
    // The tier of a project matters only to new traces.
    return { key: run.session, id: run.session_id, name: run.session_name, tier: null };
  }

  /** Whether any update or feedback arrived before its run. Requires `readAhead`. */
  get hasEarly(): boolean {
    return this.#requireAhead().hasEarly;
  }

  /** The workspace's own setting, if it has one. Requires `readAhead`. */
  get retention(): RetentionSetting | undefined {
    return this.#requireAhead().retention;
  }

  #requireAhead(): ReadAhead {
    if (this.#ahead === undefined) throw new Error('Nothing was read ahead.');
    return this.#ahead;
  }

  #runsOf(ids: readonly string[]): BoundStatement<StoredRun> {
    return { sql: RUNS, values: [JSON.stringify(ids), this.#workspace] };
  }

  #tracesOf(ids: readonly string[]): BoundStatement<StoredTrace> {
    return { sql: TRACES, values: [JSON.stringify(ids), this.#workspace] };
  }
}

/** Records the rows that were found, and `undefined` for the IDs without a row. */
function note<Row extends { readonly id: string }>(
  known: Map<string, Row | undefined>,
  ids: Iterable<string>,
  rows: readonly Row[],
): void {
  for (const id of ids) known.set(id, undefined);
  for (const row of rows) known.set(row.id, row);
}
