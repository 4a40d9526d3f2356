import type { Insertable } from 'kysely';
import type { RunTable } from '../../storage/state-schema.ts';
import { parseStored } from '../../storage/stored-json.ts';
import { RunKwargs } from '../data/run-kwargs.ts';
import type { RunRow } from '../data/run-store.ts';
import type { LiveRun, RunIdentity } from './live-run.ts';

/**
 * The row of an accepted run, without its position: that is the number of runs in the thread's row.
 * @param node the server that the run belongs to.
 */
export function makeRunRow(
  run: LiveRun,
  deploymentId: string,
  node: string,
): Omit<Insertable<RunTable>, 'thread_order'> {
  const { identity } = run;
  const now = run.acceptedAt;
  return {
    run_id: identity.runId,
    thread_id: identity.threadId,
    deployment_id: deploymentId,
    assistant_id: identity.assistantId,
    graph_id: identity.graphId,
    status: run.state,
    metadata: JSON.stringify(identity.metadata),
    kwargs: JSON.stringify(identity.kwargs),
    multitask_strategy: identity.multitaskStrategy,
    attempt: run.attempt,
    stateless: identity.stateless,
    started_at: run.startedAt ?? null,
    revision_id: run.revisionId,
    start_after: identity.startAfter > 0 ? new Date(identity.startAfter).toISOString() : null,
    error: null,
    cancel_reason: null,
    created_at: now,
    updated_at: now,
    lease_owner: node,
    lease_expires_at: null,
  };
}

/** Reads a run back after a restart. @throws Error when the row is damaged. */
export function identityOf(row: RunRow): RunIdentity {
  const startAfter = row.start_after === null ? 0 : Date.parse(row.start_after);
  if (Number.isNaN(startAfter)) throw new Error(`'${row.start_after}' is not a time.`);
  return {
    runId: row.run_id,
    threadId: row.thread_id,
    assistantId: row.assistant_id,
    graphId: row.graph_id,
    metadata: parseStored(row.metadata),
    kwargs: RunKwargs.parse(JSON.parse(row.kwargs)),
    multitaskStrategy: row.multitask_strategy,
    stateless: row.stateless !== 0,
    startAfter,
  };
}
