import type { Change } from '../../../contract/harbor.ts';

/** A change made by a write, for the change feed. */
export type TraceChange = Pick<Change, 'resource' | 'action' | 'id'> & { readonly session_id?: string };
