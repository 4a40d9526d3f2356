import { z } from 'zod';
import { type Revision, StatusChange } from '../../../contract/control-plane/revisions.ts';
import { readRevisionConfig, wholeRevisionConfig } from './deployment-wire.ts';
import type { RevisionRow } from './revision-store.ts';

/**
 * Converts a stored revision to the wire format.
 * @param runs the number of unfinished runs that began on it, if it is draining.
 */
export function toRevision(row: RevisionRow, runs?: number): Revision {
  return {
    id: row.id,
    deployment_id: row.deployment_id,
    status: row.status,
    status_message: row.status_message,
    status_history: z.array(StatusChange).parse(JSON.parse(row.status_history)),
    source: row.source,
    source_revision_config: wholeRevisionConfig(readRevisionConfig(row.source_revision_config)),
    ...(row.draining_until === null || runs === undefined
      ? {}
      : { draining: { until: row.draining_until, runs } }),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
