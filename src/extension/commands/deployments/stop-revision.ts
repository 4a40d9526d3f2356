import type { Trees } from '../../views/live-refresh.ts';
import { RevisionElement } from '../../views/platform-deployments.ts';
import { rowCommand } from '../command.ts';

/** Stops a revision that is being built or deployed. The deployed revision is not affected. */
export const stopRevision = rowCommand(
  [RevisionElement],
  async ({ trees }: { readonly trees: Trees }, row) => {
    const { client, deployment } = row.parent;
    const params = { deployment_id: deployment.id, revision_id: row.revision.id };
    await client.revisions.interrupt({ params });
    trees.deployments.refresh();
  },
);
