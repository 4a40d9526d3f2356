import { compareWithFolder } from './compare-with-folder.ts';
import { compareWithLive } from './compare-with-live.ts';
import { copyApiKey } from './copy-api-key.ts';
import { copyUrl } from './copy-url.ts';
import { deleteDeployment } from './delete-deployment.ts';
import { deploy } from './deploy.ts';
import { deployAgain } from './deploy-again.ts';
import { deployAndRecord } from './deploy-and-record.ts';
import { endDraining } from './end-draining.ts';
import { recordRuns } from './record-runs.ts';
import { redeploy } from './redeploy.ts';
import { redeployLive } from './redeploy-live.ts';
import { rollBack } from './roll-back.ts';
import { selectDeployment } from './select-deployment.ts';
import { showBuildLog } from './show-build-log.ts';
import { showDeploymentLog } from './show-deployment-log.ts';
import { stopRecordingRuns } from './stop-recording-runs.ts';
import { stopRevision } from './stop-revision.ts';

/** Commands about deployments and their revisions. */
export const deploymentCommands = {
  compareWithFolder,
  compareWithLive,
  copyApiKey,
  copyUrl,
  deleteDeployment,
  deploy,
  deployAgain,
  deployAndRecord,
  endDraining,
  recordRuns,
  redeploy,
  redeployLive,
  rollBack,
  selectDeployment,
  showBuildLog,
  showDeploymentLog,
  stopRecordingRuns,
  stopRevision,
};
