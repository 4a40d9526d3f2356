import * as vscode from 'vscode';
import type { ErrorReporter } from '../dialogs/errors.ts';
import type { Trees } from '../views/live-refresh.ts';
import { Row } from '../views/rows.ts';
import { activateVersion } from './assistants/activate-version.ts';
import { createAssistant } from './assistants/create-assistant.ts';
import { deleteAssistant } from './assistants/delete-assistant.ts';
import { editAssistant } from './assistants/edit-assistant.ts';
import { openVersion } from './assistants/open-version.ts';
import type { Command, CommandParts } from './command.ts';
import { addConnection } from './connections/add-connection.ts';
import { reconnect } from './connections/reconnect.ts';
import { removeConnection } from './connections/remove-connection.ts';
import { renameConnection } from './connections/rename-connection.ts';
import { restartServer } from './connections/restart-server.ts';
import { signIn } from './connections/sign-in.ts';
import { signOut } from './connections/sign-out.ts';
import { startServer } from './connections/start-server.ts';
import { stopServer } from './connections/stop-server.ts';
import { copyCode } from './copying/copy-code.ts';
import { copyError } from './copying/copy-error.ts';
import { copyId } from './copying/copy-id.ts';
import { copyJson } from './copying/copy-json.ts';
import { copyMessage } from './copying/copy-message.ts';
import { addToDataset } from './datasets/add-to-dataset.ts';
import { createExample } from './datasets/create-example.ts';
import { deleteDataset } from './datasets/delete-dataset.ts';
import { deleteExamples } from './datasets/delete-examples.ts';
import { exportDataset } from './datasets/export-dataset.ts';
import { importExamples } from './datasets/import-examples.ts';
import { openExample } from './datasets/open-example.ts';
import { setSplits } from './datasets/set-splits.ts';
import { showExperiments } from './datasets/show-experiments.ts';
import { showSplit } from './datasets/show-split.ts';
import { showVersion } from './datasets/show-version.ts';
import { tagVersion } from './datasets/tag-version.ts';
import { copyApiKey } from './deployments/copy-api-key.ts';
import { copyUrl } from './deployments/copy-url.ts';
import { deleteDeployment } from './deployments/delete-deployment.ts';
import { deploy } from './deployments/deploy.ts';
import { deployAgain } from './deployments/deploy-again.ts';
import { deployAndRecord } from './deployments/deploy-and-record.ts';
import { recordRuns } from './deployments/record-runs.ts';
import { redeploy } from './deployments/redeploy.ts';
import { rollBack } from './deployments/roll-back.ts';
import { selectDeployment } from './deployments/select-deployment.ts';
import { showBuildLog } from './deployments/show-build-log.ts';
import { showDeploymentLog } from './deployments/show-deployment-log.ts';
import { stopRecordingRuns } from './deployments/stop-recording-runs.ts';
import { stopRevision } from './deployments/stop-revision.ts';
import { loadMore } from './general/load-more.ts';
import { openDocumentation } from './general/open-documentation.ts';
import { refresh } from './general/refresh.ts';
import { reportIssue } from './general/report-issue.ts';
import { showActions } from './general/show-actions.ts';
import { showLog } from './general/show-log.ts';
import { buildImage } from './projects/build-image.ts';
import { createConfig } from './projects/create-config.ts';
import { createProject } from './projects/create-project.ts';
import { installPackages } from './projects/install-packages.ts';
import { openConfig } from './projects/open-config.ts';
import { openGraphSource } from './projects/open-graph-source.ts';
import { reloadGraphs } from './projects/reload-graphs.ts';
import { checkDeletion } from './purging/check-deletion.ts';
import { forgetDeletion } from './purging/forget-deletion.ts';
import { purge } from './purging/purge.ts';
import { purgeAnywhere } from './purging/purge-anywhere.ts';
import { setRetention } from './purging/set-retention.ts';
import { setWorkspaceRetention } from './purging/set-workspace-retention.ts';
import { importRun } from './run-files/import-run.ts';
import { replayFromHere } from './run-files/replay-from-here.ts';
import { replayRun } from './run-files/replay-run.ts';
import { saveRun } from './run-files/save-run.ts';
import { continueRun } from './runs/continue-run.ts';
import { debug } from './runs/debug.ts';
import { keepNodeResult } from './runs/keep-node-result.ts';
import { run } from './runs/run.ts';
import { runFromHere } from './runs/run-from-here.ts';
import { runNode } from './runs/run-node.ts';
import { runSelection } from './runs/run-selection.ts';
import { stepRun } from './runs/step-run.ts';
import { makeTest } from './tests/make-test.ts';
import { openTestTrace } from './tests/open-test-trace.ts';
import { clearThreadFilter } from './threads/clear-thread-filter.ts';
import { compareStates } from './threads/compare-states.ts';
import { copyThread } from './threads/copy-thread.ts';
import { createThread } from './threads/create-thread.ts';
import { deleteThread } from './threads/delete-thread.ts';
import { editState } from './threads/edit-state.ts';
import { filterThreads } from './threads/filter-threads.ts';
import { openState } from './threads/open-state.ts';
import { openThread } from './threads/open-thread.ts';
import { renameThread } from './threads/rename-thread.ts';
import { sortThreads } from './threads/sort-threads.ts';
import { clearTraceFilter } from './traces/clear-trace-filter.ts';
import { compareTraces } from './traces/compare-traces.ts';
import { copySpanId } from './traces/copy-span-id.ts';
import { filterTraces } from './traces/filter-traces.ts';
import { keepTraceOpen } from './traces/keep-trace-open.ts';
import { openSpan } from './traces/open-span.ts';
import { openTrace } from './traces/open-trace.ts';
import { searchTraces } from './traces/search-traces.ts';
import { showTrace } from './traces/show-trace.ts';

/** Every command by its id behind `agentHarbor.`; package.json contributes these and no others. */
export const commandTable: Readonly<Record<string, Command>> = {
  activateVersion,
  addConnection,
  addToDataset,
  buildImage,
  checkDeletion,
  clearThreadFilter,
  clearTraceFilter,
  compareStates,
  compareTraces,
  continueRun,
  copyApiKey,
  copyCode,
  copyError,
  copyId,
  copyJson,
  copyMessage,
  copySpanId,
  copyThread,
  copyUrl,
  createAssistant,
  createConfig,
  createExample,
  createProject,
  createThread,
  debug,
  deleteAssistant,
  deleteDataset,
  deleteDeployment,
  deleteExamples,
  deleteThread,
  deploy,
  deployAgain,
  deployAndRecord,
  editAssistant,
  editState,
  exportDataset,
  filterThreads,
  filterTraces,
  forgetDeletion,
  importExamples,
  importRun,
  installPackages,
  keepNodeResult,
  keepTraceOpen,
  loadMore,
  makeTest,
  openConfig,
  openDocumentation,
  openExample,
  openGraphSource,
  openSpan,
  openState,
  openThread,
  openTestTrace,
  openTrace,
  openVersion,
  purge,
  purgeAnywhere,
  reconnect,
  recordRuns,
  redeploy,
  refresh,
  reloadGraphs,
  removeConnection,
  renameConnection,
  renameThread,
  replayFromHere,
  replayRun,
  reportIssue,
  restartServer,
  rollBack,
  run,
  runFromHere,
  runNode,
  runSelection,
  saveRun,
  searchTraces,
  selectDeployment,
  setRetention,
  setSplits,
  setWorkspaceRetention,
  showActions,
  showBuildLog,
  showDeploymentLog,
  showExperiments,
  showLog,
  showSplit,
  showTrace,
  showVersion,
  signIn,
  signOut,
  sortThreads,
  startServer,
  stepRun,
  stopRecordingRuns,
  stopRevision,
  stopServer,
  tagVersion,
};

/** Registers every command; whatever one throws is reported. */
export function registerCommands(parts: CommandParts, errors: ErrorReporter): vscode.Disposable {
  const registrations = Object.entries(commandTable).map(([name, command]) =>
    vscode.commands.registerCommand(`agentHarbor.${name}`, async (...args: unknown[]) => {
      try {
        await command(parts, ...byKey(args, parts.trees).map(elementsOf));
      } catch (error) {
        // Not awaited: who called need not wait until the message is answered.
        void errors.report(error, name);
      }
    }),
  );
  return vscode.Disposable.from(...registrations);
}

/** Key bindings pass the view, because VS Code passes no selected rows to them. */
function byKey(args: readonly unknown[], trees: Trees): readonly unknown[] {
  const [first] = args;
  if (typeof first !== 'object' || first === null || !('view' in first)) return args;
  const tree = Object.entries(trees).find(([name]) => name === first.view)?.[1];
  return tree === undefined ? args : tree.selection;
}

/** Replaces tree rows with their current elements. */
function elementsOf(argument: unknown): unknown {
  if (Array.isArray(argument)) return argument.map(elementsOf);
  return argument instanceof Row ? argument.element : argument;
}
