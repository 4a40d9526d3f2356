import type { Selectable } from 'kysely';
import type { TraceTier } from '../../../contract/tracing/runs.ts';
import type { BoundStatement } from '../../storage/sync-database.ts';
import type { RetentionSettingTable } from '../database/purge-schema.ts';

/** The default base and extended retention, in days (docs/interface/purging.md#retention). */
export const DEFAULT_DAYS: Readonly<Record<TraceTier, number>> = { shortlived: 14, longlived: 400 };

/** Says how long new traces of a project are kept. */
export interface Retention {
  readonly tier: TraceTier;
  readonly days: number;
}

/** A workspace's retention setting. */
export type RetentionSetting = Pick<
  Selectable<RetentionSettingTable>,
  'default_tier' | 'longlived_days' | 'shortlived_days'
>;

/** Selects the setting of a workspace; there is no row when the workspace has none. */
export function retentionSetting(workspace: number): BoundStatement<RetentionSetting> {
  return {
    sql: 'SELECT default_tier, longlived_days, shortlived_days FROM retention_settings WHERE workspace = ?',
    values: [workspace],
  };
}

/** Determines how long new traces are kept. @param tier the tier of the project; null when the workspace decides. */
export function retentionOf(setting: RetentionSetting | undefined, tier: TraceTier | null): Retention {
  const chosen = tier ?? (setting?.default_tier === 'longlived' ? 'longlived' : 'shortlived');
  const days = chosen === 'longlived' ? setting?.longlived_days : setting?.shortlived_days;
  return { tier: chosen, days: days ?? DEFAULT_DAYS[chosen] };
}
