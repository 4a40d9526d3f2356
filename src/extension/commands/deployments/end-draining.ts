import type { Trees } from '../../views/live-refresh.ts';
import { RevisionElement } from '../../views/platform-deployments.ts';
import { rowCommand } from '../command.ts';

/** Ends the draining of a revision early, after asking. */
export const endDraining = rowCommand(
  [RevisionElement],
  async ({ trees }: { readonly trees: Trees }, row) => {
    const { confirmEndOfDraining } = await import('./confirm-end-of-draining.ts');
    if (!(await confirmEndOfDraining(row))) return;
    const { client, deployment } = row.parent;
    const params = { deployment_id: deployment.id, revision_id: row.revision.id };
    await client.controlPlane.draining.end({ params });
    trees.deployments.refresh();
  },
);
