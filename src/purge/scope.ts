import { MAX_TRACE_IDS, type PurgeRequest } from '../contract/purging.ts';

/** A tracing project: its ID and name. */
export interface ProjectRef {
  readonly id: string;
  readonly name: string;
}

/** A metadata value that can be matched. */
export type Scalar = string | number | boolean;

/** The traces to purge. */
export type PurgeScope =
  | { readonly kind: 'traces'; readonly project: ProjectRef; readonly traceIds: readonly string[] }
  /** All traces of a project, or those that began before a time (ISO 8601). */
  | { readonly kind: 'project'; readonly project: ProjectRef; readonly before?: string | undefined }
  /** Traces with any of the pairs on any of their spans, in one project or in all. */
  | {
      readonly kind: 'metadata';
      readonly metadata: Readonly<Record<string, Scalar>>;
      readonly project?: ProjectRef | undefined;
      readonly before?: string | undefined;
    };

/**
 * The requests that purge a scope. Only an Agent Harbor server understands `before`, and metadata of one project.
 * @param now ISO 8601; a purge of a whole project keeps later traces
 */
export function requestsOf(scope: PurgeScope, now: string): readonly PurgeRequest[] {
  switch (scope.kind) {
    case 'traces':
      return requestsByIds(scope.project.id, scope.traceIds);
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

/** The requests that purge traces of one project by their IDs, each once (docs/interface/purging.md#deleting-traces). */
export function requestsByIds(sessionId: string, traceIds: readonly string[]): PurgeRequest[] {
  return chunks([...new Set(traceIds)], MAX_TRACE_IDS).map((trace_ids) => ({
    session_id: sessionId,
    trace_ids,
  }));
}

/** Whether a platform without our extensions supports this scope; otherwise its traces are listed by ID. */
export function isSupportedElsewhere(scope: PurgeScope): boolean {
  return (
    scope.kind === 'traces' ||
    (scope.kind === 'metadata' && scope.project === undefined && scope.before === undefined)
  );
}

/** Splits a list into lists of at most `size` items. */
export function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) =>
    items.slice(n * size, (n + 1) * size),
  );
}
