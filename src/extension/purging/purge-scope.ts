import type { PurgeRequest } from '../../contract/purging.ts';
import type { RunsFilter } from '../../contract/tracing/runs.ts';
import type { Scalar } from '../views/metadata-pairs.ts';

export interface ProjectRef {
  readonly id: string;
  readonly name: string;
}

/** What is to be purged. */
export type PurgeScope =
  | { readonly kind: 'traces'; readonly project: ProjectRef; readonly traceIds: readonly string[] }
  /** All traces of a project, or those that began before a time (ISO 8601). */
  | { readonly kind: 'project'; readonly project: ProjectRef; readonly before?: string | undefined }
  /** Traces with any one of the pairs on any of their spans, of one project or of all. */
  | {
      readonly kind: 'metadata';
      readonly metadata: Readonly<Record<string, Scalar>>;
      readonly project?: ProjectRef | undefined;
      readonly before?: string | undefined;
    };

/** A request may name as many traces (docs/interface/purging.md#deleting-traces). */
export const mostTraces = 1000;

/**
 * The requests that purge a scope.
 * @param now ISO 8601: what comes later stays. Time as a filter is understood by an Agent Harbor server only.
 */
export function requestsOf(scope: PurgeScope, now: string): readonly PurgeRequest[] {
  switch (scope.kind) {
    case 'traces':
      return chunks(scope.traceIds, mostTraces).map((trace_ids) => ({
        session_id: scope.project.id,
        trace_ids: [...trace_ids],
      }));
    case 'project':
      return [{ session_id: scope.project.id, before: scope.before ?? now }];
    case 'metadata':
      return [
        {
          metadata: { ...scope.metadata },
          ...(scope.project && { session_id: scope.project.id }),
          ...(scope.before && { before: scope.before }),
        },
      ];
  }
}

/** Whether a platform without our additions can be asked for it as it is; its traces have to be named otherwise. */
export function isPublicRequest(scope: PurgeScope): boolean {
  return (
    scope.kind === 'traces' ||
    (scope.kind === 'metadata' && scope.project === undefined && scope.before === undefined)
  );
}

/** A query of the root spans of the traces of a scope, in the public filter language. */
export function queryOf(scope: Exclude<PurgeScope, { kind: 'traces' }>): RunsFilter {
  const { before } = scope;
  const pairs =
    scope.kind === 'metadata'
      ? Object.entries(scope.metadata).map(
          ([key, value]) =>
            `and(eq(metadata_key, ${JSON.stringify(key)}), eq(metadata_value, ${JSON.stringify(String(value))}))`,
        )
      : [];
  const [only] = pairs;
  const any = pairs.length > 1 ? `or(${pairs.join(', ')})` : only;
  return {
    is_root: true,
    ...(scope.project && { session: [scope.project.id] }),
    ...(before && { filter: `lt(start_time, ${JSON.stringify(before)})` }),
    ...(any && { tree_filter: any }),
  };
}

export function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) =>
    items.slice(n * size, (n + 1) * size),
  );
}
