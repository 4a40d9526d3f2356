import * as vscode from 'vscode';
import { AssistantAddresses } from '../assistants/assistant-address.ts';
import { Connections } from '../connections/connections.ts';
import { LocalConnection, localServerOf } from '../connections/local.ts';
import { DatasetChoices } from '../datasets/dataset-choices.ts';
import { Debugger } from '../debug/debugger.ts';
import { AutoStart } from '../deployments/auto-start.ts';
import { BlockingCalls } from '../deployments/blocking-calls.ts';
import { FolderConfigs } from '../deployments/configs.ts';
import { Deployments } from '../deployments/deployments.ts';
import { FolderDeployments } from '../deployments/folder-deployments.ts';
import { FolderLogs } from '../deployments/folder-logs.ts';
import { PlatformLogs } from '../deployments/platform-logs.ts';
import { PythonInterpreters } from '../deployments/python-interpreter.ts';
import { ErrorReporter } from '../dialogs/errors.ts';
import { ReadOnlyDocuments } from '../documents/read-only-documents.ts';
import { PackageInstaller } from '../projects/package-installer.ts';
import { SetupGuide } from '../projects/setup-guide.ts';
import { QueuedDeletions } from '../purging/queued-deletions.ts';
import { RunReviews } from '../run-files/run-reviews.ts';
import { EvaluationTests } from '../testing/evaluation-tests.ts';
import { ThreadOptions } from '../views/thread-options.ts';
import { TraceOptions } from '../views/trace-options.ts';
import { once } from './once.ts';

/**
 * The services that views and commands share, such as connections, deployments, and the choices of views.
 */
export type Services = ReturnType<typeof makeServices>;

/** Creates the services. @param isWatched whether any view is visible */
export function makeServices(context: vscode.ExtensionContext, isWatched: () => boolean) {
  const { globalState, workspaceState, secrets } = context;
  const log = vscode.window.createOutputChannel('Agent Harbor', { log: true });
  const errors = new ErrorReporter({ window: vscode.window, commands: vscode.commands, log });
  const configs = new FolderConfigs();
  const local = new LocalConnection({
    ...localServerOf(context),
    dataDirectory: () => vscode.workspace.getConfiguration('agentHarbor').get('dataDirectory', ''),
    log,
    stateEmitter: new vscode.EventEmitter(),
    changeEmitter: new vscode.EventEmitter(),
  });
  const connections = new Connections({ local, memento: globalState, secrets, log, isWatched });
  const interpreters = new PythonInterpreters(errors);
  const folderDeployments = new FolderDeployments({
    configs,
    interpreters,
    connection: local,
    memento: workspaceState,
    errors,
  });
  const deployments = new Deployments(folderDeployments, connections, workspaceState);
  const packageInstaller = new PackageInstaller(folderDeployments, errors);
  const setup = new SetupGuide();
  const runReviews = new RunReviews();
  const debugging = new Debugger(folderDeployments, errors);
  const tests = new EvaluationTests({ configs, folders: folderDeployments, debugging, errors });
  const blockingCalls = new BlockingCalls(folderDeployments);
  const deploymentLogs = new FolderLogs(errors);
  const platformLogs = new PlatformLogs();
  const autoStart = new AutoStart(local, folderDeployments, errors);
  const threadOptions = new ThreadOptions(workspaceState);
  const traceOptions = new TraceOptions(workspaceState);
  const datasetChoices = new DatasetChoices();
  const queuedDeletions = new QueuedDeletions(globalState);
  context.subscriptions.push(
    log,
    configs,
    local,
    connections,
    interpreters,
    folderDeployments,
    packageInstaller,
    setup,
    runReviews,
    deployments,
    debugging,
    tests,
    blockingCalls,
    deploymentLogs,
    platformLogs,
    autoStart,
    threadOptions,
    traceOptions,
    datasetChoices,
    queuedDeletions,
  );
  return {
    log,
    errors,
    configs,
    connections,
    folderDeployments,
    deployments,
    packageInstaller,
    setup,
    runReviews,
    debugging,
    tests,
    deploymentLogs,
    platformLogs,
    autoStart,
    threadOptions,
    traceOptions,
    datasetChoices,
    queuedDeletions,
    documents: new ReadOnlyDocuments(async (uri, deploymentKey) => {
      const { readDocument } = await import('./read-document.ts');
      return readDocument(uri, { deployments, connections, deploymentKey });
    }),
    nodes: once(async () => {
      const { NodeRunner } = await import('../nodes/node-runner.ts');
      return new NodeRunner(deployments);
    }),
    assistantAddresses: new AssistantAddresses(workspaceState),
  };
}
