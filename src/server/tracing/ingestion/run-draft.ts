import type { Priced } from '../../../contract/tracing/priced.ts';
import type { RunPayload, RunType, SpanStatus } from '../../../contract/tracing/runs.ts';
import { parseStored } from '../../storage/stored-json.ts';
import { nowMicros } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import type { PayloadPlace } from '../database/traces-schema.ts';
import { RunRefused } from '../runs/refusal.ts';
import type { CheckedRun } from '../runs/run-fields.ts';
import type { Usage } from '../runs/usage.ts';
import type { StoredRun } from './stored-runs.ts';

/** A run as it will be stored, from its row and the request. Times are in microseconds. */
export interface RunDraft {
  readonly key: number;
  /** Whether the run already has a row. */
  stored: boolean;
  readonly id: string;
  readonly trace: number;
  readonly traceId: string;
  session: number;
  readonly parentId: string | undefined;
  dottedOrder: string;
  name: string;
  runType: RunType;
  status: SpanStatus;
  startTime: number;
  endTime: number | undefined;
  firstTokenTime: number | undefined;
  tags: readonly string[];
  /** Whether this request replaces the tags. */
  isRetagged: boolean;
  referenceExampleId: string | undefined;
  usage: Usage | undefined;
  /** The items of a cost that was computed here. */
  priced: Priced | undefined;
  places: { [Kind in RunPayload]?: PayloadPlace };
  labels: readonly number[];
}

/** Starts a draft from a post. */
export function newDraft(run: CheckedRun, keys: { run: number; trace: number; session: number }): RunDraft {
  return {
    key: keys.run,
    stored: false,
    id: run.id,
    trace: keys.trace,
    traceId: run.traceId,
    session: keys.session,
    parentId: run.parentId,
    dottedOrder: run.dottedOrder,
    name: run.name ?? 'unnamed',
    runType: run.runType ?? 'chain',
    status: run.status ?? (run.endTime === undefined ? 'pending' : 'success'),
    startTime: run.startTime,
    endTime: run.endTime,
    firstTokenTime: run.firstTokenTime,
    tags: run.tags ?? [],
    isRetagged: false,
    referenceExampleId: run.referenceExampleId,
    usage: undefined,
    priced: undefined,
    places: {},
    labels: [],
  };
}

/** The attempt in which a run was stored, and the one in which it is sent, if known. */
export interface Attempts {
  readonly stored: number | undefined;
  readonly sent: number | undefined;
}

/**
 * Applies a post to an existing run: repeated data changes nothing, and missing data is added. A root that starts again
 * after its process was lost is another attempt, which continues the trace.
 * @throws RunRefused when it is another run under the same ID.
 */
export function repost(draft: RunDraft, run: CheckedRun, attempts: () => Attempts): void {
  if (isLaterAttempt(draft, run, attempts)) {
    // The attempt's number is stored with its data, so that late data of an earlier attempt is recognized.
    if (attempts().sent !== undefined) delete draft.places.extra;
    draft.dottedOrder = run.dottedOrder;
    draft.endTime = run.endTime;
    delete draft.places.error;
    settleStatus(draft, run.status, false);
    return;
  }
  if (
    run.dottedOrder !== draft.dottedOrder ||
    (run.name !== undefined && run.name !== draft.name) ||
    (run.runType !== undefined && run.runType !== draft.runType)
  ) {
    throw new RunRefused(
      `run_id:${run.id} was already posted with different content: a run can be posted only once`,
      {
        type: 'duplicate',
        duplicate: true,
      },
    );
  }
  draft.endTime ??= run.endTime;
  draft.firstTokenTime ??= run.firstTokenTime;
  draft.referenceExampleId ??= run.referenceExampleId;
  if (draft.tags.length === 0) draft.tags = run.tags ?? [];
  settleStatus(draft, run.status, draft.status === 'error');
}

function isLaterAttempt(draft: RunDraft, run: CheckedRun, attempts: () => Attempts): boolean {
  const isSameRoot =
    draft.parentId === undefined &&
    run.parentId === undefined &&
    (run.name ?? draft.name) === draft.name &&
    (run.runType ?? draft.runType) === draft.runType;
  if (!isSameRoot || run.dottedOrder === draft.dottedOrder) return false;
  const { stored, sent } = attempts();
  // The clocks of two servers may differ, and the end of an attempt may have been stored for the trace but not for the
  // run.
  if (stored !== undefined && sent !== undefined) return sent > stored;
  return draft.status !== 'success' && run.startTime > draft.startTime;
}

/** Applies an update: its fields replace existing ones. @throws RunRefused when it names another place in the trace. */
export function patch(draft: RunDraft, run: CheckedRun): void {
  if (run.dottedOrder !== draft.dottedOrder) {
    throw new RunRefused(
      `dotted_order ${run.dottedOrder} of the update differs from ${draft.dottedOrder} of the post for run_id:${run.id}`,
      { type: 'dotted_order' },
    );
  }
  draft.name = run.name ?? draft.name;
  draft.runType = run.runType ?? draft.runType;
  draft.endTime = run.endTime ?? draft.endTime;
  draft.firstTokenTime = run.firstTokenTime ?? draft.firstTokenTime;
  if (run.tags !== undefined) {
    draft.tags = run.tags;
    draft.isRetagged = true;
  }
  draft.referenceExampleId = run.referenceExampleId ?? draft.referenceExampleId;
  settleStatus(draft, run.status, draft.status === 'error');
}

/**
 * Sets the status of a run. A status that the request states takes precedence; otherwise an error means failure, and an
 * end time means success.
 */
export function settleStatus(draft: RunDraft, stated: SpanStatus | undefined, hasFailed: boolean): void {
  draft.status = stated ?? (hasFailed ? 'error' : draft.endTime === undefined ? 'pending' : 'success');
}

const COLUMNS = [
  'dotted_order',
  'session',
  'name',
  'run_type',
  'status',
  'start_time',
  'end_time',
  'first_token_time',
  'tags',
  'reference_example_id',
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'prompt_cost',
  'completion_cost',
  'total_cost',
  'priced',
  'payloads',
  'labels',
] as const;
/** The columns that never change. */
const FIXED = ['key', 'workspace', 'trace', 'id', 'parent_id', 'received_at'] as const;
const ALL = [...FIXED, ...COLUMNS];
const INSERT = `INSERT INTO runs (${ALL.join(', ')}) VALUES (${ALL.map(() => '?').join(', ')})`;
const UPDATE = `UPDATE runs SET ${COLUMNS.map((column) => `${column} = ?`).join(', ')} WHERE key = ?`;

/** The values of `COLUMNS`, in that order. */
function columnValues(draft: RunDraft) {
  const { usage } = draft;
  return [
    draft.dottedOrder,
    draft.session,
    draft.name,
    draft.runType,
    draft.status,
    draft.startTime,
    draft.endTime ?? null,
    draft.firstTokenTime ?? null,
    draft.tags.length === 0 ? null : JSON.stringify(draft.tags),
    draft.referenceExampleId ?? null,
    usage?.promptTokens ?? null,
    usage?.completionTokens ?? null,
    usage?.totalTokens ?? null,
    usage?.promptCost ?? null,
    usage?.completionCost ?? null,
    usage?.totalCost ?? null,
    draft.priced === undefined ? null : JSON.stringify(draft.priced),
    JSON.stringify(draft.places),
    draft.labels.length === 0 ? null : JSON.stringify(draft.labels),
  ];
}

/** Inserts a draft's row, or updates it if the run is stored. */
export function writeDraft(db: TracesDatabase, workspace: number, draft: RunDraft): void {
  if (draft.stored) {
    db.statement(UPDATE).run(...columnValues(draft), draft.key);
    return;
  }
  db.statement(INSERT).run(
    draft.key,
    workspace,
    draft.trace,
    draft.id,
    draft.parentId ?? null,
    nowMicros(),
    ...columnValues(draft),
  );
  draft.stored = true;
}

/** The draft of a stored run. */
export function draftOf(row: StoredRun): RunDraft {
  const hasUsage = row.total_tokens !== null || row.total_cost !== null;
  return {
    key: row.key,
    stored: true,
    id: row.id,
    trace: row.trace,
    traceId: row.trace_id,
    session: row.session,
    parentId: row.parent_id ?? undefined,
    dottedOrder: row.dotted_order,
    name: row.name,
    runType: row.run_type,
    status: row.status,
    startTime: row.start_time,
    endTime: row.end_time ?? undefined,
    firstTokenTime: row.first_token_time ?? undefined,
    tags: row.tags === null ? [] : parseStored(row.tags),
    isRetagged: false,
    referenceExampleId: row.reference_example_id ?? undefined,
    usage: hasUsage
      ? {
          promptTokens: row.prompt_tokens,
          completionTokens: row.completion_tokens,
          totalTokens: row.total_tokens,
          promptCost: row.prompt_cost,
          completionCost: row.completion_cost,
          totalCost: row.total_cost,
        }
      : undefined,
    priced: row.priced === null ? undefined : parseStored(row.priced),
    places: parseStored(row.payloads),
    labels: row.labels === null ? [] : parseStored(row.labels),
  };
}
