import { Cron } from 'croner';
import { invalid } from '../http/errors.ts';
import type { ReaderContext } from '../tracing/context/reader-context.ts';
import type { WriterContext } from '../tracing/context/writer-context.ts';
import { nowMicros } from '../tracing/database/time.ts';
import { ensureWorkspaceKey, findWorkspaceKeyOrNone } from '../tracing/sessions/workspace-keys.ts';

type Database = ReaderContext['db'];

/** When a workspace's purges are carried out: a cron expression, or null for immediately. */
type PurgeWindow = { readonly schedule: string | null; readonly timezone: string };

/** Reads the purge window of a workspace. */
export function readWindow({ db }: Pick<ReaderContext, 'db'>, request: { workspaceId: string }): PurgeWindow {
  return windowOf(db, findWorkspaceKeyOrNone(db, request.workspaceId));
}

/** Sets the purge window, also for waiting jobs. @throws HttpError 422 for an invalid schedule or time zone */
export function setWindow(
  context: WriterContext,
  request: { workspaceId: string; window: PurgeWindow },
): PurgeWindow {
  const { db, caches } = context;
  const workspace = ensureWorkspaceKey(db, caches, request.workspaceId);
  if (request.window.schedule !== null && nextTime(request.window) === undefined) {
    throw invalid(
      ['body', 'schedule'],
      'This schedule has no upcoming run. Use one that matches a future time.',
      'cron',
    );
  }
  db.run(
    db.build
      .insertInto('purge_settings')
      .values({ workspace, ...request.window })
      .onConflict((conflict) => conflict.column('workspace').doUpdateSet({ ...request.window })),
  );
  // Waiting jobs are moved to the new window, or start immediately.
  db.statement(
    `UPDATE purge_jobs SET not_before = ? WHERE workspace = ? AND step = 'pending' AND not_before > ?`,
  ).run(windowOpens(db, workspace), workspace, nowMicros());
  context.wakePurger();
  return request.window;
}

/**
 * The time from which a new purge of a workspace may be carried out, in microseconds since 1970: now, if the window has
 * opened for the last time.
 */
export function windowOpens(db: Database, workspace: number): number {
  const window = windowOf(db, workspace);
  return (window.schedule === null ? undefined : nextTime(window)) ?? nowMicros();
}

function windowOf(db: Database, workspace: number): PurgeWindow {
  const row = db.get(
    db.build.selectFrom('purge_settings').select(['schedule', 'timezone']).where('workspace', '=', workspace),
  );
  return row ?? { schedule: null, timezone: 'UTC' };
}

/** When a window opens next, in microseconds; undefined if it never does. @throws HttpError 422 if it is not valid */
function nextTime({ schedule, timezone }: PurgeWindow): number | undefined {
  try {
    const next = new Cron(schedule ?? '', { timezone, paused: true }).nextRun();
    return next === null ? undefined : next.getTime() * 1000;
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it could not be parsed';
    throw invalid(['body', 'schedule'], `Not a valid cron expression and time zone: ${reason}`, 'cron');
  }
}
