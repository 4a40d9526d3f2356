import * as vscode from 'vscode';
import type { ErrorReporter } from '../dialogs/errors.ts';
import type { Trees } from '../views/live-refresh.ts';
import { Row } from '../views/rows.ts';
import { activateVersion } from './activate-version.ts';
import { addConnection } from './add-connection.ts';
import { addToDataset } from './add-to-dataset.ts';
import { buildImage } from './build-image.ts';
import { checkDeletion } from './check-deletion.ts';
import { clearThreadFilter } from './clear-thread-filter.ts';
import { clearTraceFilter } from './clear-trace-filter.ts';
import type { Command, CommandParts } from './command.ts';
import { compareStates } from './compare-states.ts';
import { compareTraces } from './compare-traces.ts';
import { continueRun } from './continue-run.ts';
import { copyApiKey } from './copy-api-key.ts';
import { copyCode } from './copy-code.ts';
import { copyError } from './copy-error.ts';
import { copyId } from './copy-id.ts';
import { copyJson } from './copy-json.ts';
import { copyMessage } from './copy-message.ts';
import { copySpanId } from './copy-span-id.ts';
import { copyThread } from './copy-thread.ts';
import { copyUrl } from './copy-url.ts';
import { createAssistant } from './create-assistant.ts';
import { createConfig } from './create-config.ts';
import { createExample } from './create-example.ts';
import { createProject } from './create-project.ts';
import { createThread } from './create-thread.ts';
import { debug } from './debug.ts';
import { deleteAssistant } from './delete-assistant.ts';
import { deleteDataset } from './delete-dataset.ts';
import { deleteDeployment } from './delete-deployment.ts';
import { deleteExamples } from './delete-examples.ts';
import { deleteThread } from './delete-thread.ts';
import { deploy } from './deploy.ts';
import { deployAgain } from './deploy-again.ts';
import { deployAndRecord } from './deploy-and-record.ts';
import { editAssistant } from './edit-assistant.ts';
import { editState } from './edit-state.ts';
import { exportDataset } from './export-dataset.ts';
import { filterThreads } from './filter-threads.ts';
import { filterTraces } from './filter-traces.ts';
import { forgetDeletion } from './forget-deletion.ts';
import { importExamples } from './import-examples.ts';
import { importRun } from './import-run.ts';
import { installPackages } from './install-packages.ts';
import { keepNodeResult } from './keep-node-result.ts';
import { keepTraceOpen } from './keep-trace-open.ts';
import { loadMore } from './load-more.ts';
import { makeTest } from './make-test.ts';
import { openConfig } from './open-config.ts';
import { openDocumentation } from './open-documentation.ts';
import { openExample } from './open-example.ts';
import { openGraphSource } from './open-graph-source.ts';
import { openSpan } from './open-span.ts';
import { openState } from './open-state.ts';
import { openTestTrace } from './open-test-trace.ts';
import { openThread } from './open-thread.ts';
import { openTrace } from './open-trace.ts';
import { openVersion } from './open-version.ts';
import { purge } from './purge.ts';
import { purgeAnywhere } from './purge-anywhere.ts';
import { reconnect } from './reconnect.ts';
import { recordRuns } from './record-runs.ts';
import { redeploy } from './redeploy.ts';
import { refresh } from './refresh.ts';
import { reloadGraphs } from './reload-graphs.ts';
import { removeConnection } from './remove-connection.ts';
import { renameConnection } from './rename-connection.ts';
import { renameThread } from './rename-thread.ts';
import { replayFromHere } from './replay-from-here.ts';
import { replayRun } from './replay-run.ts';
import { reportIssue } from './report-issue.ts';
import { restartServer } from './restart-server.ts';
import { rollBack } from './roll-back.ts';
import { run } from './run.ts';
import { runFromHere } from './run-from-here.ts';
import { runNode } from './run-node.ts';
import { runSelection } from './run-selection.ts';
import { saveRun } from './save-run.ts';
import { searchTraces } from './search-traces.ts';
import { selectDeployment } from './select-deployment.ts';
import { setRetention } from './set-retention.ts';
import { setSplits } from './set-splits.ts';
import { setWorkspaceRetention } from './set-workspace-retention.ts';
import { showActions } from './show-actions.ts';
import { showBuildLog } from './show-build-log.ts';
import { showDeploymentLog } from './show-deployment-log.ts';
import { showExperiments } from './show-experiments.ts';
import { showLog } from './show-log.ts';
import { showSplit } from './show-split.ts';
import { showTrace } from './show-trace.ts';
import { showVersion } from './show-version.ts';
import { signIn } from './sign-in.ts';
import { signOut } from './sign-out.ts';
import { sortThreads } from './sort-threads.ts';
import { startServer } from './start-server.ts';
import { stepRun } from './step-run.ts';
import { stopRecordingRuns } from './stop-recording-runs.ts';
import { stopRevision } from './stop-revision.ts';
import { stopServer } from './stop-server.ts';
import { tagVersion } from './tag-version.ts';

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
