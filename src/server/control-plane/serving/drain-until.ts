import type { DeploymentRow } from '../data/deployment-store.ts';
import { readSourceConfig } from '../data/deployment-wire.ts';

/** Until when a deployment's runs may end on the revision that is replaced now; undefined when it does not drain. */
export function drainUntil({ source_config }: Pick<DeploymentRow, 'source_config'>): Date | undefined {
  const minutes = readSourceConfig(source_config).drain_minutes ?? 0;
  return minutes === 0 ? undefined : new Date(Date.now() + minutes * 60_000);
}
