import { setRetention } from './set-retention.ts';

/**
 * Sets the workspace's retention from the title bar of the view, and ignores the focused row that VS Code
 * passes.
 */
export const setWorkspaceRetention: typeof setRetention = (parts) => setRetention(parts);
