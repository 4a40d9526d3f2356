import type { Topic } from '../../storage/bus.ts';

/** Tells other servers to check deployments and their revisions. */
export const REVISIONS_CHANGED: Topic = 'revisions:changed';
