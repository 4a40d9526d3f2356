import type { Selectable } from 'kysely';
import { RunPayload } from '../../../contract/tracing/runs.ts';
import { type JsonText, jsonObject } from '../../http/reply.ts';
import { parseStored, parseStoredOrNull } from '../../storage/stored-json.ts';
import type { ReaderContext } from '../context/reader-context.ts';
import { StoredPayloads } from '../database/stored-payloads.ts';
import { formatTime, formatTimeOrNull } from '../database/time.ts';
import type { PayloadPlace, RunTable } from '../database/traces-schema.ts';
import { type KeyStats, readFeedbackStats } from '../feedback/feedback-stats.ts';
import { THREAD_KEYS } from '../filters/filter-labels.ts';
import { costSumText, costText } from '../runs/cost-text.ts';
import { runIdsIn } from '../runs/dotted-order.ts';
import { NO_WORKSPACE } from '../sessions/workspace-keys.ts';
import { DETAIL_FIELDS, usageDetails } from './usage-details.ts';

/** A run's row with columns from its trace and its project. */
export type RunRow = Selectable<RunTable> & {
  readonly trace_id: string;
  readonly session_id: string;
  readonly trace_tier: string;
  readonly ttl_days: number;
  readonly first_received_at: number;
  readonly upgraded: number;
  /** The sums of the trace, which a root shows as its own. */
  readonly trace_total_tokens: number;
  readonly trace_prompt_tokens: number;
  readonly trace_completion_tokens: number;
  readonly trace_total_cost: number;
  readonly trace_prompt_cost: number;
  readonly trace_completion_cost: number;
};

/** Selects the rows of runs with their traces and projects. */
export function runRows({ db }: ReaderContext) {
  return db.build
    .selectFrom('runs')
    .innerJoin('traces', 'traces.key', 'runs.trace')
    .innerJoin('sessions', 'sessions.key', 'runs.session')
    .selectAll('runs')
    .select([
      'traces.id as trace_id',
      'traces.tier as trace_tier',
      'traces.ttl_days',
      'traces.first_received_at',
      'traces.upgraded',
      'traces.total_tokens as trace_total_tokens',
      'traces.prompt_tokens as trace_prompt_tokens',
      'traces.completion_tokens as trace_completion_tokens',
      'traces.total_cost as trace_total_cost',
      'traces.prompt_cost as trace_prompt_cost',
      'traces.completion_cost as trace_completion_cost',
      'sessions.id as session_id',
    ]);
}

const PREVIEWS = [
  ['inputs_preview', 'inputs'],
  ['outputs_preview', 'outputs'],
] as const;
const PREVIEW_LENGTH = 300;
/** No UTF-16 code unit of a string takes more than three bytes. */
const PREVIEW_BYTES = 3 * PREVIEW_LENGTH;

/** Converts runs to JSON, reading only the requested payloads. */
export class RunJson {
  readonly #context: ReaderContext;
  readonly #select: ReadonlySet<string> | undefined;
  readonly #hidden: readonly string[];
  /** The requested fields of a run, determined once for all runs. */
  readonly #fields: readonly (readonly [name: string, read: (row: RunRow) => unknown])[];
  readonly #payloads: readonly RunPayload[];
  readonly #previews: readonly (readonly [name: string, kind: RunPayload])[];
  readonly #details: readonly string[];
  readonly #stored: StoredPayloads;

  /**
   * @param select the names of fields; all when undefined. @param hidden fields that are left out even if they are
   * requested.
   */
  constructor(context: ReaderContext, select: readonly string[] | undefined, hidden: readonly string[] = []) {
    this.#context = context;
    this.#select = select === undefined || select.length === 0 ? undefined : new Set(select);
    this.#hidden = hidden;
    this.#fields = Object.entries(ROW_FIELDS).filter(([name]) => this.#wants(name));
    this.#payloads = RunPayload.options.filter((kind) => this.#wants(kind));
    this.#previews = PREVIEWS.filter(([name]) => this.#wants(name));
    this.#details = DETAIL_FIELDS.filter((name) => this.#wants(name));
    this.#stored = new StoredPayloads(context.db, context.blobs);
  }

  #wants(field: string): boolean {
    if (this.#hidden.includes(field)) return false;
    return this.#select === undefined || this.#select.has(field);
  }

  /** Converts runs of a single workspace. */
  convert(rows: readonly RunRow[]): JsonText[] {
    const [first] = rows;
    const stats =
      first !== undefined && this.#wants('feedback_stats')
        ? readFeedbackStats(
            this.#context.db,
            first.workspace,
            rows.map((row) => row.id),
          )
        : new Map<string, Record<string, KeyStats>>();
    const urls =
      this.#wants('s3_urls') || this.#wants('attachments')
        ? this.#attachments(rows)
        : new Map<number, object>();
    return rows.map((row) => this.#toJson(row, stats.get(row.id), urls.get(row.key)));
  }

  #toJson(row: RunRow, stats: Record<string, KeyStats> | undefined, urls: object | undefined): JsonText {
    const fields: Record<string, unknown> = { id: row.id };
    for (const [name, read] of this.#fields) fields[name] = read(row);
    if (this.#wants('thread_id')) fields.thread_id = this.#threadId(row);
    if (this.#wants('feedback_stats')) fields.feedback_stats = stats ?? null;
    if (this.#wants('s3_urls') || this.#wants('attachments')) fields.s3_urls = urls ?? null;
    if (this.#payloads.length + this.#previews.length + this.#details.length === 0)
      return jsonObject(fields, {});
    const places = parseStored(row.payloads);
    const raw: Record<string, string> = {};
    for (const kind of this.#payloads)
      raw[kind] = this.#read(places[kind]) ?? (kind === 'inputs' ? '{}' : 'null');
    for (const [name, kind] of this.#previews)
      fields[name] = this.#read(places[kind], PREVIEW_BYTES)?.slice(0, PREVIEW_LENGTH) ?? null;
    const readOnce = (kind: RunPayload) => raw[kind] ?? this.#read(places[kind]);
    return jsonObject({ ...fields, ...this.#usageDetails(row, readOnce) }, raw);
  }

  #usageDetails({ priced }: RunRow, read: (kind: RunPayload) => string | undefined): Record<string, unknown> {
    if (this.#details.length === 0) return {};
    const costs = priced === null ? undefined : parseStored(priced);
    const details = usageDetails(read('extra'), read('outputs'), costs);
    return Object.fromEntries(this.#details.map((name) => [name, details[name]]));
  }

  /** The conversation that the run's metadata names; null if it names none. */
  #threadId(row: RunRow): string | null {
    if (row.labels === null) return null;
    const label = this.#context.db
      .statement(
        `SELECT value FROM labels WHERE key IN (SELECT CAST(value AS BIGINT) FROM json_each(?)) AND kind = 'metadata'
           AND name IN (${THREAD_KEYS.map(() => '?').join(', ')}) LIMIT 1`,
      )
      .get(row.labels, ...THREAD_KEYS);
    return label === undefined ? null : String(label.value);
  }

  /**
   * The attachments of runs, by the runs' keys, in the form for clients: `attachment.<name>` with the address of the
   * bytes.
   */
  #attachments(runs: readonly RunRow[]): Map<number, Record<string, object>> {
    const found = this.#context.db
      .statement(
        `SELECT run, name, content_type, length FROM attachments
           WHERE run IN (SELECT CAST(value AS BIGINT) FROM json_each(?)) ORDER BY run, name`,
      )
      .all(JSON.stringify(runs.map(({ key }) => key)));
    const workspaces = new Map(runs.map(({ key, workspace }) => [key, workspace]));
    const urls = new Map<number, Record<string, object>>();
    for (const row of found) {
      const key = Number(row.run);
      const name = String(row.name);
      const workspace = workspaces.get(key) ?? NO_WORKSPACE;
      const ofRun = urls.get(key) ?? {};
      ofRun[`attachment.${name}`] = {
        presigned_url: this.#context.links?.link({ kind: 'run', workspace, key, name }),
        mime_type: row.content_type,
        size: row.length,
      };
      urls.set(key, ofRun);
    }
    return urls;
  }

  /** @param limit how many bytes to read of a payload that is stored separately. */
  #read(place: PayloadPlace | undefined, limit?: number): string | undefined {
    return place && this.#stored.read(place, limit);
  }
}

/** The fields that come from the row itself, in the order in which they are written. */
const ROW_FIELDS: Readonly<Record<string, (row: RunRow) => unknown>> = {
  name: (row) => row.name,
  run_type: (row) => row.run_type,
  status: (row) => row.status,
  trace_id: (row) => row.trace_id,
  dotted_order: (row) => row.dotted_order,
  parent_run_id: (row) => row.parent_id,
  parent_run_ids: ({ dotted_order }) => runIdsIn(dotted_order).slice(0, -1),
  session_id: (row) => row.session_id,
  start_time: (row) => formatTime(row.start_time),
  end_time: (row) => formatTimeOrNull(row.end_time),
  first_token_time: (row) => formatTimeOrNull(row.first_token_time),
  execution_order: () => 1,
  tags: (row) => (row.tags === null ? [] : JSON.parse(row.tags)),
  reference_example_id: (row) => row.reference_example_id,
  total_tokens: (row) => (isRoot(row) ? row.trace_total_tokens : row.total_tokens) ?? 0,
  prompt_tokens: (row) => (isRoot(row) ? row.trace_prompt_tokens : row.prompt_tokens) ?? 0,
  completion_tokens: (row) => (isRoot(row) ? row.trace_completion_tokens : row.completion_tokens) ?? 0,
  total_cost: (row) =>
    isRoot(row) ? costSumText(row.trace_total_cost, row.total_cost) : costText(row.total_cost),
  prompt_cost: (row) =>
    isRoot(row) ? costSumText(row.trace_prompt_cost, row.prompt_cost) : costText(row.prompt_cost),
  completion_cost: (row) =>
    isRoot(row) ? costSumText(row.trace_completion_cost, row.completion_cost) : costText(row.completion_cost),
  // An Agent Harbor extension: the items of a cost that was computed here.
  price: (row) => parseStoredOrNull(row.priced),
  app_path: (row) => `/runs/${row.id}`,
  trace_tier: (row) => row.trace_tier,
  trace_first_received_at: (row) => formatTime(row.first_received_at),
  ttl_seconds: (row) => row.ttl_days * 86_400,
  trace_upgrade: (row) => row.upgraded === 1,
  inserted_at: (row) => formatTime(row.received_at),
};

function isRoot({ parent_id }: RunRow): boolean {
  return parent_id === null;
}
