import { setRetention } from './set-retention.ts';

/** The workspace's retention, from the title bar of the view, which passes the focused row. */
export const setWorkspaceRetention: typeof setRetention = (parts) => setRetention(parts);
