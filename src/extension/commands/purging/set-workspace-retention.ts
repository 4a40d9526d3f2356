import type { Command } from '../command.ts';
import { setRetention } from './set-retention.ts';

/** The workspace's retention, from the title bar of the view, which passes the focused row. */
export const setWorkspaceRetention: Command = (parts) => setRetention(parts);
