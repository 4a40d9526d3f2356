import { v7 as uuidv7 } from 'uuid';
import type { TtlSettings, TtlSettingsUpdate } from '../../contract/purging.ts';
import { invalid } from '../http/errors.ts';
import type { ReaderContext } from '../tracing/context/reader-context.ts';
import type { WriterContext } from '../tracing/context/writer-context.ts';
import { formatTime, nowMicros } from '../tracing/database/time.ts';
import { DEFAULT_DAYS } from '../tracing/sessions/retention.ts';
import { ensureWorkspaceKey, findWorkspaceKeyOrNone } from '../tracing/sessions/workspace-keys.ts';

/** The retention of new traces in days, from the workspace's settings or the defaults. */
export function readTtl(
  { db }: Pick<ReaderContext, 'db'>,
  request: { workspaceId: string; organizationId: string },
): TtlSettings {
  const row = db.get(
    db.build
      .selectFrom('retention_settings')
      .selectAll()
      .where('workspace', '=', findWorkspaceKeyOrNone(db, request.workspaceId)),
  );
  const never = formatTime(0);
  return {
    id: row?.id ?? request.workspaceId,
    organization_id: request.organizationId,
    tenant_id: request.workspaceId,
    default_trace_tier: row?.default_tier ?? 'shortlived',
    apply_to_all_projects: row?.apply_to_all_projects === 1,
    configured_by: row === undefined ? 'system' : 'user',
    longlived_ttl_days: row?.longlived_days ?? DEFAULT_DAYS.longlived,
    shortlived_ttl_days: row?.shortlived_days ?? DEFAULT_DAYS.shortlived,
    created_at: row === undefined ? never : formatTime(row.created_at),
    updated_at: row === undefined ? never : formatTime(row.updated_at),
  };
}

/**
 * Sets how long new traces are kept; existing traces keep their retention.
 * @throws HttpError 422 when base retention would be longer than extended retention.
 */
export function setTtl(
  { db, caches }: WriterContext,
  request: { workspaceId: string; organizationId: string; changes: TtlSettingsUpdate },
): TtlSettings {
  const workspace = ensureWorkspaceKey(db, caches, request.workspaceId);
  const { changes } = request;
  const before = readTtl({ db }, request);
  const now = nowMicros();
  const values = {
    default_tier: changes.default_trace_tier ?? before.default_trace_tier,
    apply_to_all_projects: (changes.apply_to_all_projects ?? before.apply_to_all_projects) ? 1 : 0,
    shortlived_days: changes.shortlived_ttl_days ?? before.shortlived_ttl_days,
    longlived_days: changes.longlived_ttl_days ?? changes.ttl_days ?? before.longlived_ttl_days,
    updated_at: now,
  };
  if (values.shortlived_days > values.longlived_days) {
    const named = changes.shortlived_ttl_days == null ? 'longlived_ttl_days' : 'shortlived_ttl_days';
    throw invalid(
      ['body', changes.ttl_days == null ? named : 'ttl_days'],
      `shortlived_ttl_days (${values.shortlived_days}) must not be greater than longlived_ttl_days (${values.longlived_days}). Set both.`,
    );
  }
  db.run(
    db.build
      .insertInto('retention_settings')
      .values({ id: uuidv7(), workspace, created_at: now, ...values })
      .onConflict((conflict) => conflict.column('workspace').doUpdateSet(values)),
  );
  if (changes.apply_to_all_projects === true) {
    db.run(
      db.build
        .updateTable('sessions')
        .set({ trace_tier: values.default_tier })
        .where('workspace', '=', workspace),
    );
    caches.sessions.clear();
  }
  return readTtl({ db }, request);
}
