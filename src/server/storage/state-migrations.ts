import { foundation } from './migrations/state-0001-foundation.ts';
import { agentServer } from './migrations/state-0002-agent-server.ts';
import { controlPlane } from './migrations/state-0003-control-plane.ts';
import { threadCounts } from './migrations/state-0004-thread-counts.ts';
import { workspaceSecrets } from './migrations/state-0005-workspace-secrets.ts';
import { checkpointOrder } from './migrations/state-0006-checkpoint-order.ts';
import { providerWorkspace } from './migrations/state-0007-provider-workspace.ts';
import { cutOffRuns } from './migrations/state-0008-cut-off-runs.ts';
import { exchanges } from './migrations/state-0009-exchanges.ts';
import { runEnds } from './migrations/state-0010-run-ends.ts';
import { recordings } from './migrations/state-0011-recordings.ts';
import { histories } from './migrations/state-0012-histories.ts';
import { keyRights } from './migrations/state-0013-key-rights.ts';
import { costs } from './migrations/state-0014-costs.ts';
import { operations } from './migrations/state-0015-operations.ts';
import { runRevisions } from './migrations/state-0016-run-revisions.ts';

/** All migrations of `state.db`, in order. A released migration is never changed. */
export const stateMigrations = {
  '0001-foundation': foundation,
  '0002-agent-server': agentServer,
  '0003-control-plane': controlPlane,
  '0004-thread-counts': threadCounts,
  '0005-workspace-secrets': workspaceSecrets,
  '0006-checkpoint-order': checkpointOrder,
  '0007-provider-workspace': providerWorkspace,
  '0008-cut-off-runs': cutOffRuns,
  '0009-exchanges': exchanges,
  '0010-run-ends': runEnds,
  '0011-recordings': recordings,
  '0012-histories': histories,
  '0013-key-rights': keyRights,
  '0014-costs': costs,
  '0015-operations': operations,
  '0016-run-revisions': runRevisions,
};
