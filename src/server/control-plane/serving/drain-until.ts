import type { DeploymentRow } from '../data/deployment-store.ts';
import { readSourceConfig } from '../data/deployment-wire.ts';

/**
 * The time until which runs may end on the revision that is being replaced; undefined if the deployment's `drain_minutes`
 * is 0 or not set.
 */
export function drainUntil({ source_config }: Pick<DeploymentRow, 'source_config'>): Date | undefined {
  const minutes = readSourceConfig(source_config).drain_minutes ?? 0;
  return minutes === 0 ? undefined : new Date(Date.now() + minutes * 60_000);
}
