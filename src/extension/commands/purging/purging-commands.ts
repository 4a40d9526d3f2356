import { checkDeletion } from './check-deletion.ts';
import { forgetDeletion } from './forget-deletion.ts';
import { purge } from './purge.ts';
import { purgeAnywhere } from './purge-anywhere.ts';
import { setRetention } from './set-retention.ts';
import { setWorkspaceRetention } from './set-workspace-retention.ts';

/** Commands that purge, or set how long traces are kept. */
export const purgingCommands = {
  checkDeletion,
  forgetDeletion,
  purge,
  purgeAnywhere,
  setRetention,
  setWorkspaceRetention,
};
