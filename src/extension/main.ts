import * as vscode from 'vscode';
import { AssistantAddresses, assistantScheme } from './assistants/assistant-address.ts';
import { AutoStart } from './auto-start.ts';
import { registerCommands } from './commands/table.ts';
import { WorkspaceConfigs } from './configs.ts';
import { Connections } from './connections/connections.ts';
import { LocalConnection, localServerOf } from './connections/local.ts';
import { keepContextKeys } from './context-keys.ts';
import type { Deploying } from './deploy/deploying.ts';
import { DeploymentLogs } from './deployments/deployment-logs.ts';
import { Deployments } from './deployments/deployments.ts';
import { PackageInstaller } from './deployments/package-installer.ts';
import { PlatformLogs } from './deployments/platform-logs.ts';
import { PythonInterpreters } from './deployments/python-interpreter.ts';
import { WorkspaceDeployments } from './deployments/workspace-deployments.ts';
import { documentScheme, JsonDocuments } from './documents.ts';
import { EditableDocuments } from './editable-documents.ts';
import { ErrorReporter } from './errors.ts';
import { LanguageSupport } from './language-support.ts';
import type { RunPanels, RunTarget } from './panels/run/run-panels.ts';
import type { TracePanels } from './panels/trace/trace-panels.ts';
import { QueuedDeletions } from './purging/queued-deletions.ts';
import { stateScheme } from './states/state-address.ts';
import { StatusBar } from './status-bar.ts';
import { offerInTerminals } from './terminal-path.ts';
import { AssistantsSource } from './views/assistants.ts';
import { DeploymentsSource } from './views/deployments-source.ts';
import { keepTreesLive, type Trees } from './views/live-refresh.ts';
import { ThreadOptions } from './views/thread-options.ts';
import { ThreadsSource } from './views/threads.ts';
import { TraceOptions } from './views/trace-options.ts';
import { TracesSource } from './views/traces.ts';
import { Tree } from './views/tree.ts';

/** What the extension hands to those who ask for it; for tests. */
export interface AgentHarborApi {
  readonly trees: Trees;
}

/** Called by VS Code when the extension is first needed. It registers, and starts nothing: that waits for a view or a command. */
export function activate(context: vscode.ExtensionContext): AgentHarborApi {
  const log = vscode.window.createOutputChannel('Agent Harbor', { log: true });
  const errors = new ErrorReporter({ window: vscode.window, commands: vscode.commands, log });

  const configs = new WorkspaceConfigs();
  const local = new LocalConnection({
    ...localServerOf(context),
    dataDirectory: () => vscode.workspace.getConfiguration('agentHarbor').get('dataDirectory', ''),
    log,
    stateEmitter: new vscode.EventEmitter(),
    changeEmitter: new vscode.EventEmitter(),
  });
  const connections = new Connections({
    local,
    memento: context.globalState,
    secrets: context.secrets,
    log,
    isWatched: () => Object.values(trees).some(({ isVisible }) => isVisible),
  });
  const interpreters = new PythonInterpreters();
  const workspaceDeployments = new WorkspaceDeployments({
    configs,
    interpreters,
    connection: local,
    memento: context.workspaceState,
    errors,
  });
  const deployments = new Deployments(workspaceDeployments, connections, context.workspaceState);
  const packageInstaller = new PackageInstaller(workspaceDeployments, errors);
  const deploymentLogs = new DeploymentLogs(errors);
  const platformLogs = new PlatformLogs();
  const documents = new JsonDocuments(deployments, connections);
  const autoStart = new AutoStart(local, workspaceDeployments, errors);

  const threadOptions = new ThreadOptions(context.workspaceState);
  const traceOptions = new TraceOptions(context.workspaceState);
  const queuedDeletions = new QueuedDeletions(context.globalState);
  const assistantAddresses = new AssistantAddresses(context.workspaceState);
  const assistants = new EditableDocuments({
    scheme: assistantScheme,
    files: once(async () => {
      const { AssistantFiles } = await import('./assistants/assistant-files.ts');
      return new AssistantFiles({ addresses: assistantAddresses, deployments, documents });
    }),
    draftKept: vscode.l10n.t('Agent Harbor: this assistant is sent when you save it yourself.'),
  });
  const states = new EditableDocuments({
    scheme: stateScheme,
    files: once(async () => {
      const { StateFiles } = await import('./states/state-files.ts');
      const files = new StateFiles({ deployments, documents });
      context.subscriptions.push(files);
      return files;
    }),
    draftKept: vscode.l10n.t('Agent Harbor: this state is written when you save it yourself.'),
  });

  const onSeen = () => {
    autoStart.seen();
    connections.wake();
    live.seen();
  };
  const many = { onSeen, selectsMany: true };
  const trees: Trees = {
    deployments: new Tree(
      'agentHarbor.deployments',
      new DeploymentsSource(deployments, connections),
      errors,
      { onSeen },
    ),
    assistants: new Tree('agentHarbor.assistants', new AssistantsSource(deployments), errors, { onSeen }),
    threads: new Tree('agentHarbor.threads', new ThreadsSource(deployments, threadOptions), errors, many),
    traces: new Tree(
      'agentHarbor.traces',
      new TracesSource(deployments, traceOptions, queuedDeletions),
      errors,
      many,
    ),
  };
  const live = keepTreesLive(trees, connections, deployments);
  const panels = once(async (): Promise<RunPanels> => {
    const { RunPanels } = await import('./panels/run/run-panels.ts');
    return new RunPanels({ extensionUri: context.extensionUri, connections, deployments, documents, errors });
  });
  const deploying = once(async (): Promise<Deploying> => {
    const { Deploying } = await import('./deploy/deploying.ts');
    const showText = documents.showText.bind(documents);
    const made = new Deploying({
      connections,
      configs,
      memento: context.workspaceState,
      changed: () => trees.deployments.refresh(),
      showText,
    });
    context.subscriptions.push(made);
    return made;
  });
  const tracePanels = once(async (): Promise<TracePanels> => {
    const { TracePanels } = await import('./panels/trace/trace-panels.ts');
    const openRunPanel = async (target: RunTarget) => (await panels()).open(target);
    const { extensionUri } = context;
    return new TracePanels({ extensionUri, connections, deployments, documents, errors, openRunPanel });
  });

  context.subscriptions.push(
    log,
    configs,
    local,
    connections,
    interpreters,
    workspaceDeployments,
    packageInstaller,
    deployments,
    deploymentLogs,
    platformLogs,
    autoStart,
    ...Object.values(trees),
    live,
    assistants,
    states,
    threadOptions,
    traceOptions,
    queuedDeletions,
    queuedDeletions.onDidChange(() => {
      trees.traces.refresh();
      // It is looked for again soon.
      live.seen();
    }),
    threadOptions.onDidChange(() => trees.threads.refresh()),
    traceOptions.filter.onDidChange(() => trees.traces.refresh()),
    local.onDidChange((changes) => {
      if (changes.some(({ resource }) => resource === 'assistant')) assistants.changed();
      if (changes.some(({ resource }) => resource === 'thread')) states.changed();
    }),
    keepContextKeys(configs, connections, deployments),
    new StatusBar(configs, connections, deployments),
    new LanguageSupport({ context, configs, deployments: workspaceDeployments, errors, log }),
    vscode.workspace.registerTextDocumentContentProvider(documentScheme, documents),
    vscode.window.registerWebviewPanelSerializer('agentHarbor.run', {
      deserializeWebviewPanel: async (panel, state) => (await panels()).deserializeWebviewPanel(panel, state),
    }),
    vscode.window.registerWebviewPanelSerializer('agentHarbor.trace', {
      deserializeWebviewPanel: async (panel, state) =>
        (await tracePanels()).deserializeWebviewPanel(panel, state),
    }),
    registerCommands(
      {
        connections,
        deployments,
        configs,
        autoStart,
        trees,
        threadOptions,
        traceOptions,
        queuedDeletions,
        assistantAddresses,
        documents,
        deploymentLogs,
        packageInstaller,
        platformLogs,
        deploying,
        panels,
        tracePanels,
        templates: context.asAbsolutePath('dist/templates'),
        log,
      },
      errors,
    ),
  );
  offerInTerminals(context).catch((error) => errors.log(error, 'offer agent-harbor in terminals'));
  return { trees };
}

/** Makes something when it is first needed, and keeps it. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
