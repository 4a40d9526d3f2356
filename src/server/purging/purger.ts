import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Selectable } from 'kysely';
import { fileSystemCode } from '../../process/error-codes.ts';
import { messageOf } from '../../process/message-of.ts';
import { storageProblem } from '../http/storage-problem.ts';
import { backupsFolder } from '../storage/backups.ts';
import { crashPoint } from '../storage/crash-point.ts';
import { parseStored } from '../storage/stored-json.ts';
import type { WriterContext } from '../tracing/context/writer-context.ts';
import type { BackgroundWork } from '../tracing/database/background-work.ts';
import type { PurgeFilter, PurgeJobTable } from '../tracing/database/purge-schema.ts';
import { nowMicros } from '../tracing/database/time.ts';
import { eraseExamples } from '../tracing/datasets/erase-examples.ts';
import { findExamplesWithMetadata } from '../tracing/datasets/find-examples.ts';
import { findWorkspaceKeyOrNone } from '../tracing/sessions/workspace-keys.ts';
import { deleteTrace, deleteUnstored } from './delete-trace.ts';
import { eraseWorkspace } from './erase-workspace.ts';
import { matchingTraces } from './match-traces.ts';
import { deleteLists, PurgeVerification } from './verify-purge.ts';
import { waitingMatch } from './waiting-pieces.ts';
import { addWaitingTargets, replaceIfStored } from './waiting-targets.ts';

type Job = Selectable<PurgeJobTable>;

/** With this many runs or more, words in the text index are first marked as deleted, and later removed together. */
const MANY_RUNS = 1000;
/** The pause before a purge tries again to free the space of deleted rows. */
const HELD_MS = 200;

/**
 * Carries out purges in slices. The steps are matching, deleting, cleaning (freed pages are removed from the file
 * and its log, and copies of the file are deleted) and verifying. Except in cleaning, which starts again after a crash,
 * every slice is a transaction that also stores the progress, so a crash loses at most one slice.
 */
export class Purger implements BackgroundWork {
  readonly #context: WriterContext;
  readonly #dataDir: string;
  /** Whether there may be jobs, so that an idle server does not query the database. */
  #mayHaveWork = true;
  #timer: NodeJS.Timeout | undefined;
  #busy = false;
  /** Waiting jobs, with the time when each continues, in microseconds since 1970. */
  readonly #held = new Map<string, number>();
  /** Jobs whose marked words have been removed from the index. */
  readonly #merged = new Set<string>();
  #verification: PurgeVerification | undefined;

  constructor(context: WriterContext, dataDir: string) {
    this.#context = context;
    this.#dataDir = dataDir;
  }

  /** Called when a job has been added. */
  wake(): void {
    this.#mayHaveWork = true;
  }

  advance(budgetMs: number): boolean {
    if (!this.#mayHaveWork) return false;
    const now = nowMicros();
    for (const [id, continuesAt] of this.#held) if (continuesAt <= now) this.#held.delete(id);
    const job = this.#nextJob();
    if (job === undefined || job.not_before > now) {
      const due = Math.min(job?.not_before ?? Number.POSITIVE_INFINITY, ...this.#held.values());
      if (due === Number.POSITIVE_INFINITY) this.#mayHaveWork = false;
      else this.#sleepUntil(due);
      this.#setBusy(this.#held.size > 0);
      return false;
    }
    this.#setBusy(true);
    try {
      if (this.#slice(job, budgetMs) === 'waits') this.#held.set(job.id, nowMicros() + HELD_MS * 1_000);
    } catch (error) {
      // They may hold what the failed transaction did not store.
      this.#context.words.forget();
      this.#context.caches.clear();
      this.#verification = undefined;
      // The caller retries after a pause, so an accepted job is carried out once the storage works again.
      if (storageProblem(error) !== undefined) throw error;
      this.#fail(job, error);
    }
    return true;
  }

  dueAt(): number {
    const row = this.#context.db
      .statement(`SELECT min(not_before) AS at FROM purge_jobs WHERE step NOT IN ('verified', 'failed')`)
      .get();
    return typeof row?.at === 'number' ? row.at : Number.POSITIVE_INFINITY;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** The first job that is not held. */
  #nextJob(): Job | undefined {
    const { db } = this.#context;
    const open = db.build
      .selectFrom('purge_jobs')
      .selectAll()
      .where('step', 'not in', ['verified', 'failed'])
      .orderBy('not_before')
      .orderBy('created_at')
      .limit(1);
    return db.get(this.#held.size === 0 ? open : open.where('id', 'not in', [...this.#held.keys()]));
  }

  /** Reports whether a purge is running, which keeps the server running. */
  #setBusy(busy: boolean): void {
    if (busy === this.#busy) return;
    this.#busy = busy;
    this.#context.tellBusy(busy);
  }

  /** Works on a job for about `budgetMs`. @returns 'waits' when nothing can be done at the moment. */
  #slice(job: Job, budgetMs: number): 'waits' | undefined {
    const { db } = this.#context;
    // Everything below gets the end of the slice, in milliseconds of this clock.
    const until = performance.now() + budgetMs;
    switch (job.step) {
      case 'pending':
        this.#update(job, { step: 'matching', started_at: nowMicros() });
        return;
      case 'matching':
        db.transaction(() => this.#match(job));
        crashPoint('purge-matched');
        return;
      case 'deleting': {
        const deleted = db.transaction(() => {
          const ids = this.#delete(job, until);
          crashPoint('purge-before-commit');
          return ids;
        });
        crashPoint('purge-after-commit');
        this.#context.notify(
          job.workspace,
          deleted.map((id) => ({ resource: 'trace', action: 'deleted', id })),
        );
        return;
      }
      case 'cleaning':
        return this.#clean(job, until);
      default:
        if (!this.#verify(job, until)) return;
        crashPoint('purge-verified');
        this.#notifyOf(job);
        return;
    }
  }

  #match(job: Job): void {
    const { db } = this.#context;
    const filter = parseStored(job.filter);
    if (filter.example_ids !== undefined || filter.dataset_id !== undefined) {
      // The examples were erased with the request, so only cleaning and verification are left.
      this.#update(job, { step: 'cleaning' });
      return;
    }
    if (filter.delete_examples && filter.metadata !== undefined) {
      const ids = findExamplesWithMetadata(this.#context, job.workspace, filter.metadata);
      eraseExamples(this.#context, job.workspace, ids);
    }
    const workspace = scopeOf(db, job, filter);
    const { waiting, unstored } = waitingMatch(db, workspace, filter);
    const added = addWaitingTargets(db, { job: job.id, workspace }, unstored);
    if (filter.trace_ids !== undefined) deleteUnstored(db, workspace, filter.trace_ids);
    const traces = matchingTraces(db, workspace, filter, waiting).select([
      (on) => on.val(job.id).as('job'),
      'traces.key as trace',
      'traces.id as trace_id',
      'traces.workspace',
    ]);
    const { changes } = db.run(
      db.build
        .insertInto('purge_targets')
        .columns(['job', 'trace', 'trace_id', 'workspace'])
        .expression(traces)
        .onConflict((conflict) => conflict.doNothing()),
    );
    const { runs } = db
      .statement(
        `SELECT coalesce(sum(run_count), 0) AS runs FROM purge_targets
         JOIN traces ON traces.key = purge_targets.trace WHERE job = ?`,
      )
      .get(job.id) ?? { runs: 0 };
    // The verification finds data that arrives during the deletion of a workspace, and lets the job match again.
    this.#update(job, {
      step: 'deleting',
      matched: job.matched + Number(changes) + added,
      matched_runs: job.matched_runs + Number(runs),
    });
  }

  /**
   * Deletes traces until the time is over, at least one.
   * @returns the IDs of the traces that were deleted.
   */
  #delete(job: Job, until: number): string[] {
    const { db } = this.#context;
    let { deleted, deleted_runs } = job;
    db.textIndex.setRemovalMode(job.matched_runs < MANY_RUNS ? 'in-place' : 'marked');
    const gone: string[] = [];
    let step = job.step;
    do {
      const trace = nextTarget(db, job.id);
      if (trace === undefined) {
        if (this.#eraseWorkspace(job, until)) step = 'cleaning';
        break;
      }
      // A trace with a negative key was not stored when it was matched (`addWaitingTargets`). If it has been stored since,
      // its target now has another key, and a later turn finds it.
      if (trace.key < 0 && replaceIfStored(db, { job: job.id, ...trace })) continue;
      const result = deleteTrace(this.#context, { job: job.id, ...trace }, until);
      deleted_runs += result.runs;
      if (result.done) {
        deleted++;
        // Nobody can follow a deleted workspace, whose purge is recorded in another one.
        if (trace.workspace === job.workspace) gone.push(trace.id);
      }
    } while (performance.now() < until);
    this.#update(job, { step, deleted, deleted_runs });
    return gone;
  }

  /** Erases the workspace that a job deletes, if it does. @returns whether nothing is left of it. */
  #eraseWorkspace(job: Job, until: number): boolean {
    const { workspace_id } = parseStored(job.filter);
    if (workspace_id === undefined) return true;
    const workspace = findWorkspaceKeyOrNone(this.#context.db, workspace_id);
    return eraseWorkspace(this.#context, workspace, until);
  }

  /** Frees the space of deleted data, and removes the copies that migrations set aside. */
  #clean(job: Job, until: number): 'waits' | undefined {
    const { db } = this.#context;
    if (job.matched_runs >= MANY_RUNS && !this.#merged.has(job.id)) {
      if (mergeWords(db, until)) this.#merged.add(job.id);
      return undefined;
    }
    db.textIndex.setRemovalMode('in-place');
    const freed = db.freeSpace(until, job.id);
    if (freed !== 'done') return freed === 'waits' ? freed : undefined;
    removeCopies(backupsFolder(this.#dataDir));
    crashPoint('purge-cleaned');
    this.#merged.delete(job.id);
    this.#update(job, { step: 'verifying' });
    return undefined;
  }

  /** Continues the verification of a job. @returns whether the job has ended or has started again. */
  #verify(job: Job, until: number): boolean {
    if (this.#verification?.jobId !== job.id) {
      this.#verification = new PurgeVerification(this.#context, job);
    }
    if (!this.#verification.advance(until)) return false;
    this.#verification = undefined;
    return true;
  }

  #update(job: Job, changes: Partial<Job>): void {
    const { db } = this.#context;
    db.run(db.build.updateTable('purge_jobs').set(changes).where('id', '=', job.id));
  }

  #fail(job: Job, error: unknown): void {
    const message = messageOf(error);
    this.#update(job, { step: 'failed', error: message, finished_at: nowMicros() });
    this.#context.audit(job, 'failed', { matched: job.matched, deleted: job.deleted, error: message });
    deleteLists(this.#context.db, job.id);
    this.#notifyOf(job);
  }

  #notifyOf(job: Job): void {
    this.#context.notify(job.workspace, [{ resource: 'job', action: 'updated', id: job.id }]);
  }

  #sleepUntil(micros: number): void {
    this.#mayHaveWork = false;
    clearTimeout(this.#timer);
    // Timers have a maximum delay, so several may be needed.
    const delay = Math.min(Math.max(micros / 1000 - Date.now(), 0) + 1, 2_000_000_000);
    this.#timer = setTimeout(() => {
      this.#mayHaveWork = true;
      this.#context.nudge();
    }, delay).unref();
  }
}

/** The next trace that a job has to delete; undefined when all are deleted. */
function nextTarget(db: WriterContext['db'], jobId: string) {
  const target = db
    .statement(
      `SELECT trace, trace_id, workspace, last_feedback FROM purge_targets
       WHERE job = ? AND deleted = 0 ORDER BY trace LIMIT 1`,
    )
    .get(jobId);
  if (target === undefined) return undefined;
  return {
    key: Number(target.trace),
    id: String(target.trace_id),
    workspace: Number(target.workspace),
    lastFeedback: Number(target.last_feedback),
  };
}

/** Removes marked words from the text index until the time is over. @returns whether all are removed. */
function mergeWords(db: WriterContext['db'], until: number): boolean {
  let hasMore: boolean;
  do hasMore = db.transaction(() => db.textIndex.merge());
  while (hasMore && performance.now() < until);
  return !hasMore;
}

/** The workspace of a job: its own, unless it deletes another one. */
function scopeOf(db: WriterContext['db'], job: Job, filter: PurgeFilter): number {
  return filter.workspace_id === undefined ? job.workspace : findWorkspaceKeyOrNone(db, filter.workspace_id);
}

/**
 * Removes the copies of `traces.db` that were made before migrations, which contain data that has been purged since.
 */
function removeCopies(folder: string): void {
  let files: string[] = [];
  try {
    files = readdirSync(folder);
  } catch (error) {
    if (fileSystemCode(error) === 'ENOENT') return;
    throw error;
  }
  for (const file of files) if (file.startsWith('traces.')) rmSync(path.join(folder, file), { force: true });
}
