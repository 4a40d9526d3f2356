import type { Change } from '../../../contract/harbor.ts';

/** The changes of a write, for the change feed. */
export type TraceChange = Pick<Change, 'resource' | 'action' | 'id'> & { readonly session_id?: string };
