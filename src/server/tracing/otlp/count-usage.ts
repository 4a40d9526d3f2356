import type { TraceChange } from '../context/changes.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { parentIdIn, runIdsIn } from '../runs/dotted-order.ts';
import { isModelCall } from '../runs/model-calls.ts';
import { CountedTree } from './counted-tree.ts';
import type { EarlySpans, SpanTrace } from './early-spans.ts';
import { type Place, type Plan, STAND_IN_ID, uuidOf } from './plan-places.ts';
import { SameCalls } from './same-calls.ts';
import type { SpanRun } from './span-to-run.ts';
import { StandaloneCalls } from './standalone-calls.ts';

/** The facts about a stored run on which depends whether the usage of other runs in its trace counts. */
interface StoredFacts {
  /** How the run already counts: as a model call, or as the sum of an agent. */
  readonly counts?: 'call' | 'sum' | undefined;
  /** Whether the run is a tool: a tool below a model call works separately, and makes its own calls. */
  readonly isTool: boolean;
}

/** The usage that counts among the spans that are being stored. */
interface CountedUsage {
  /** Whether a run's usage counts, by run; runs without usage are not included. */
  readonly counted: ReadonlyMap<string, boolean>;
  /** Changes to other traces that some of the calls belong to. */
  readonly changes: readonly TraceChange[];
}

/**
 * Decides whose usage counts, because a call that two layers report would otherwise count twice. A model call
 * within another one is the same call, unless a tool is between them. The same applies to a sibling reported
 * by another instrumentation. The sum of an agent counts if nothing below it does.
 */
export function countUsage(
  context: WriterContext,
  spanTrace: SpanTrace,
  spans: EarlySpans,
  plan: Plan,
): CountedUsage {
  const { fresh, moved } = splitPlan(spans, plan);
  if (!fresh.some(({ span }) => span.usage !== undefined)) return { counted: new Map(), changes: [] };
  const counting = new Counting(context, spanTrace, { spans, plan, fresh, moved });
  // Parents come first, and the outer of two sibling layers begins first.
  const sorted = fresh.toSorted((a, b) => a.ids.length - b.ids.length || a.span.start - b.span.start);
  for (const each of sorted) if (each.span.usage === 'call') counting.addCall(each);
  for (const each of sorted) if (each.span.usage === 'sum') counting.addSum(each);
  return counting.result();
}

/** Decides which of the spans that are being stored count, one after the other. */
class Counting {
  readonly #context: WriterContext;
  readonly #spanTrace: SpanTrace;
  readonly #tree: CountedTree;
  readonly #same: SameCalls;
  readonly #standalone: StandaloneCalls;
  /** The ID of the true root, if it replaces the stand-in now. */
  readonly #takesOver: string | undefined;
  /** The run that stands in for the root. */
  readonly #standIn: string | undefined;
  readonly #counted = new Map<string, boolean>();

  constructor(
    context: WriterContext,
    spanTrace: SpanTrace,
    { spans, plan, fresh, moved }: ReturnType<typeof splitPlan> & { spans: EarlySpans; plan: Plan },
  ) {
    this.#context = context;
    this.#spanTrace = spanTrace;
    this.#tree = treeAround(context, spanTrace, fresh, moved);
    const calls = fresh.filter(({ span }) => span.usage === 'call');
    const placed = calls.map(({ span, ids }) => ({ span, parent: ids.at(-2) }));
    this.#same = new SameCalls(context, spanTrace.workspace, placed, movedByParent(moved));
    this.#standalone = new StandaloneCalls(context, spanTrace);
    this.#takesOver = plan.takesOver;
    const standIn = plan.places.get(STAND_IN_ID) ?? spans.known.get(STAND_IN_ID)?.place;
    if (plan.takesOver === undefined) this.#standIn = standIn?.run;
  }

  addCall({ span, spanId, run, ids }: FreshSpan): void {
    const call = { span, run, parent: ids.at(-2) };
    const isLone = call.parent === undefined || call.parent === this.#standIn;
    const isCountedElsewhere =
      this.#isCountedElsewhere(spanId, ids, 'call') ||
      this.#same.has(call) ||
      (isLone && this.#standalone.isWithin(call));
    this.#counted.set(run, !isCountedElsewhere);
    this.#same.add(call, !isCountedElsewhere);
    if (isCountedElsewhere) return;
    this.#tree.add(ids, 'call');
    this.#standalone.replace(call);
  }

  addSum({ spanId, run, ids }: FreshSpan): void {
    const isCountedElsewhere = this.#isCountedElsewhere(spanId, ids, 'sum');
    this.#counted.set(run, !isCountedElsewhere);
    if (!isCountedElsewhere) this.#tree.add(ids, 'sum');
  }

  result(): CountedUsage {
    return { counted: this.#counted, changes: this.#standalone.changes };
  }

  /** Whether the usage of a span is counted with another run, so that it must not count again. */
  #isCountedElsewhere(spanId: string, ids: readonly string[], as: 'call' | 'sum'): boolean {
    return (
      this.#tree.isCounted(ids, as) ||
      (spanId === this.#takesOver && hasUsage(this.#context, this.#spanTrace))
    );
  }
}

/** A span that is being stored. */
interface FreshSpan {
  readonly span: SpanRun;
  readonly spanId: string;
  /** The ID of the span's own run. */
  readonly run: string;
  /** The IDs of the runs above the span, from the root down, followed by that of its own run. */
  readonly ids: readonly string[];
}

/** The spans that a plan stores, and the places of those that it moves. */
function splitPlan(spans: EarlySpans, plan: Plan) {
  const fresh: FreshSpan[] = [];
  const moved: Place[] = [];
  for (const [spanId, place] of plan.places) {
    const span = spans.known.get(spanId)?.place === undefined ? spans.content(spanId) : undefined;
    if (span === undefined) {
      moved.push(place);
      continue;
    }
    const ids = runIdsIn(place.order);
    fresh.push({ span, spanId, run: ids.at(-1) ?? place.run, ids });
  }
  return { fresh, moved };
}

/** Stored runs, by the run that they are now below. */
function movedByParent(moved: readonly Place[]): ReadonlyMap<string, readonly string[]> {
  const byParent = new Map<string, string[]>();
  for (const { run, order } of moved) {
    const parent = parentIdIn(order);
    if (parent !== undefined) byParent.set(parent, [...(byParent.get(parent) ?? []), run]);
  }
  return byParent;
}

/** Loads the stored runs above spans that are arriving now or are being moved below them. */
function treeAround(
  context: WriterContext,
  spanTrace: SpanTrace,
  fresh: readonly FreshSpan[],
  moved: readonly Place[],
): CountedTree {
  const tree = new CountedTree();
  for (const { span, run } of fresh) if (span.fields.run_type === 'tool') tree.addTool(run);
  const above = new Set(fresh.flatMap(({ ids }) => ids.slice(0, -1)));
  for (const { run } of fresh) above.delete(run);
  const stored = readFacts(context, spanTrace, [...above, ...moved.map(({ run }) => run)]);
  for (const [run, { isTool }] of stored) if (isTool) tree.addTool(run);
  for (const run of above) tree.add([run], stored.get(run)?.counts);
  for (const { run, order } of moved) tree.add(runIdsIn(order), stored.get(run)?.counts);
  return tree;
}

function readFacts(
  { db }: WriterContext,
  spanTrace: SpanTrace,
  runs: readonly string[],
): Map<string, StoredFacts> {
  if (runs.length === 0) return new Map();
  const rows = db
    .statement(
      `SELECT id, run_type, coalesce(total_tokens, total_cost) IS NOT NULL AS counted FROM runs
       WHERE workspace = ? AND id IN (SELECT value FROM json_each(CAST(? AS TEXT)))`,
    )
    .all(spanTrace.workspace, JSON.stringify(runs));
  return new Map(
    rows.map(({ id, run_type, counted }) => {
      const counts = counted ? (isModelCall(String(run_type)) ? 'call' : 'sum') : undefined;
      return [String(id), { counts, isTool: run_type === 'tool' }];
    }),
  );
}

/** Whether the usage of any run in the trace counts; needed when the true root arrives after all others. */
function hasUsage({ db }: WriterContext, { workspace, trace }: SpanTrace): boolean {
  const row = db
    .statement('SELECT total_tokens, total_cost FROM traces WHERE workspace = ? AND id = ?')
    .get(workspace, uuidOf(trace));
  return Number(row?.total_tokens ?? 0) > 0 || Number(row?.total_cost ?? 0) > 0;
}
