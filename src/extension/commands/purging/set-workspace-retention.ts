import { setRetention } from './set-retention.ts';

/** Sets the workspace's retention from the title bar of the view, where VS Code passes the focused row. */
export const setWorkspaceRetention: typeof setRetention = (parts) => setRetention(parts);
