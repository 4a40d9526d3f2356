import type { Selectable } from 'kysely';
import { HttpError } from '../../http/errors.ts';
import type { WriterContext } from '../context/writer-context.ts';
import type { BackgroundWork } from '../database/background-work.ts';
import type { RunRuleTable } from '../database/traces-schema.ts';
import { whereRuns } from '../filters/where-runs.ts';
import { upgradeTrace } from '../sessions/upgrade-trace.ts';

const TRACES_AT_ONCE = 20;

/**
 * Checks changed traces and extends their retention if a rule matches a run. The queue is written together with the
 * traces, so nothing is lost in a restart. A trace is checked after every change, including its end.
 */
export class RuleRunner implements BackgroundWork {
  readonly quietMs = 50;
  readonly starvedMs = 1000;
  readonly #context: WriterContext;

  constructor(context: WriterContext) {
    this.#context = context;
  }

  advance(budgetMs: number): boolean {
    const { db, words } = this.#context;
    const until = performance.now() + budgetMs;
    const queued = db
      .statement(`SELECT trace, workspace FROM rule_queue ORDER BY trace LIMIT ${TRACES_AT_ONCE}`)
      .all();
    if (queued.length === 0) return false;
    // A rule may search for words, but checks the current state of a trace only once, so the index must be complete.
    while (words.advance(budgetMs)) if (performance.now() > until) return true;
    let done = 0;
    db.transaction(() => {
      for (const { trace, workspace } of queued) {
        this.#check(Number(trace), Number(workspace));
        db.statement('DELETE FROM rule_queue WHERE trace = ?').run(Number(trace));
        done++;
        if (performance.now() > until) break;
      }
    });
    return done < queued.length || queued.length === TRACES_AT_ONCE;
  }

  dueAt(): number {
    const row = this.#context.db.statement('SELECT trace FROM rule_queue LIMIT 1').get();
    return row === undefined ? Number.POSITIVE_INFINITY : 0;
  }

  #check(trace: number, workspace: number): void {
    const { db } = this.#context;
    const row = db.statement('SELECT id, tier FROM traces WHERE key = ?').get(trace);
    if (row === undefined || row.tier === 'longlived') return;
    const traceId = String(row.id);
    const rules = db.all(
      db.build
        .selectFrom('run_rules')
        .selectAll()
        .where('workspace', '=', workspace)
        .where('enabled', '=', 1),
    );
    if (rules.some((rule) => this.#applies(rule, traceId, workspace))) {
      upgradeTrace(this.#context, workspace, traceId);
    }
  }

  /** Whether a rule matches a run of a trace, and the trace is in the rule's sample. */
  #applies(rule: Selectable<RunRuleTable>, traceId: string, workspace: number): boolean {
    // A trace is either always in the sample or never, no matter how many times it is checked.
    if (sampleOf(traceId) >= rule.sampling_rate) return false;
    const { db } = this.#context;
    const { filter, trace_filter, tree_filter, session_id } = rule;
    const filters = { trace: traceId, filter, trace_filter, tree_filter };
    const query = session_id === null ? filters : { ...filters, session: [session_id] };
    try {
      return db.get(whereRuns(db, workspace, query).select('runs.key').limit(1)) !== undefined;
    } catch (error) {
      // A filter that an earlier version accepted may be invalid now. Other rules are still checked.
      if (error instanceof HttpError && error.status === 422) return false;
      throw error;
    }
  }
}

/**
 * A number in [0, 1) that is always the same for a trace. It comes from the last digits of the ID, which are random in
 * every version of UUIDs that clients create.
 */
function sampleOf(traceId: string): number {
  return Number.parseInt(traceId.slice(-8), 16) / 2 ** 32;
}
