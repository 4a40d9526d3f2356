import type { Change } from '../../contract/harbor.ts';

/** What a write changed, for the change feed. */
export type TraceChange = Pick<Change, 'resource' | 'action' | 'id'> & { readonly session_id?: string };
