import { PlatformDeploymentElement, RevisionElement } from '../../views/platform-deployments.ts';
import { rowCommand } from '../command.ts';

/** Compares a revision, or the live one of a deployment, with the folder that it was deployed from. */
export const compareWithFolder = rowCommand(
  [PlatformDeploymentElement, RevisionElement],
  async (_parts: unknown, row) => (await import('./compare-revisions.ts')).compareWithFolder(row),
);
