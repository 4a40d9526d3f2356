import * as vscode from 'vscode';
import type { GraphStatus, LiveDeployment, RuntimeState, SourceLocation } from '../../contract/harbor.ts';
import type { Config } from '../deployments/configs.ts';
import type {
  DeploymentState,
  FolderDeployment,
  FolderDeployments,
} from '../deployments/folder-deployments.ts';
import { firstGraphError } from '../deployments/graph-error.ts';
import { lackingProgram } from '../projects/package-installer.ts';
import { joinParts } from '../wording/format.ts';
import { NoteElement } from './note.ts';
import { runRow } from './run-row.ts';
import { isNotSetUp, type Setup, setupSteps } from './setup-steps.ts';
import type { TreeElement } from './tree.ts';

const failedIcon = new vscode.ThemeIcon('error', new vscode.ThemeColor('problemsErrorIcon.foreground'));
const partlyIcon = new vscode.ThemeIcon('warning', new vscode.ThemeColor('problemsWarningIcon.foreground'));
const readyIcon = new vscode.ThemeIcon('pass-filled', new vscode.ThemeColor('testing.iconPassed'));
const notSetUpIcon = new vscode.ThemeIcon('tools');
const busyIcon = new vscode.ThemeIcon('loading~spin');

/** The reason why a deployment, or one of its graphs, cannot be run; undefined if all can. */
export function failureText({ config, state }: FolderDeployment): string | undefined {
  return reasonIn(state)?.replaceAll(folderOf(config), '');
}

function reasonIn(state: DeploymentState): string | undefined {
  if (state.status === 'refused') return state.message;
  if (state.status !== 'open') return undefined;
  const { runtime } = state.live;
  if (runtime.state === 'failed') return runtime.message;
  if (runtime.state === 'ready' && runtime.config_problem !== undefined)
    return runtime.config_problem.message;
  if (lackingProgram(runtime) !== undefined) return vscode.l10n.t('Dependencies are not installed.');
  return firstGraphError(runtime);
}

/**
 * The path of the project's folder, with a slash at its end. Rows leave it out of the file names in
 * messages.
 */
function folderOf({ uri }: Config): string {
  return uri.fsPath.slice(0, -'langgraph.json'.length);
}

/** The deployment of an open folder, which expands into its graphs. */
export class DeploymentElement implements TreeElement {
  readonly id: string;
  readonly config: Config;
  readonly getChildren?: () => Promise<readonly TreeElement[]>;
  readonly #deployment: FolderDeployment;
  readonly #isSelected: boolean;
  readonly #isInstalling: boolean;
  /** Whether its graphs lack packages that can be installed. */
  readonly lacksPackages: boolean = false;

  constructor(
    deployment: FolderDeployment,
    isSelected: boolean,
    deployments: FolderDeployments,
    setup: Setup,
  ) {
    this.#deployment = deployment;
    this.#isSelected = isSelected;
    this.#isInstalling = setup.isInstalling;
    this.config = deployment.config;
    const { state, before } = deployment;
    const live = state.status === 'open' ? loadedIn(state.live, before) : undefined;
    if (live !== undefined) {
      const { graphs } = live.runtime;
      this.lacksPackages = lackingProgram(live.runtime) !== undefined;
      this.getChildren = async () => [
        ...setupSteps(this, this.config, live.runtime, setup),
        ...graphs
          // While packages are installed, graphs fail without them; the setup steps show the progress.
          .filter(({ status }) => status === 'loaded' || !setup.isInstalling)
          .map((graph) => new GraphElement(graph, live, this)),
      ];
    } else if (isStarting(state)) {
      this.getChildren = async () => {
        // Expanding a deployment serves it. If that fails, its row shows why.
        if (state.status === 'closed') deployments.open(this.config).catch(() => {});
        return [new NoteElement(this, vscode.l10n.t('Loading graphs…'))];
      };
    }
    // VS Code keeps a row collapsed that had no children at first, so a failed deployment gets another ID.
    const id = `deployment:${deployment.config.uri.fsPath}`;
    this.id = this.getChildren === undefined ? `${id}:failed` : id;
  }

  /** The problem of the deployment as a whole: it failed to load, or its langgraph.json is not valid. */
  get problem(): Problem | undefined {
    return this.#look().problem;
  }

  getTreeItem(): vscode.TreeItem {
    const { description, icon, problem } = this.#look();
    const isReady = this.getChildren !== undefined;
    const item = new vscode.TreeItem(
      this.config.name,
      isReady
        ? this.#isSelected
          ? vscode.TreeItemCollapsibleState.Expanded
          : vscode.TreeItemCollapsibleState.Collapsed
        : vscode.TreeItemCollapsibleState.None,
    );
    item.description = description;
    item.iconPath = icon;
    item.contextValue = [
      this.#isSelected ? 'deployment' : 'otherDeployment',
      ...(problem === undefined ? [] : ['failed']),
      ...(this.lacksPackages ? ['lacking'] : []),
    ].join('.');
    item.tooltip = this.#tooltip(description, problem?.message);
    // Only the icon shows that everything is fine, and screen readers do not read icons.
    const state = icon === readyIcon ? vscode.l10n.t('ready') : undefined;
    item.accessibilityInformation = {
      label: [this.config.name, state, description].filter(Boolean).join(', '),
    };
    if (problem !== undefined)
      item.command = openCommandFor(problem.location ?? { file: this.config.uri.fsPath, line: 1 });
    return item;
  }

  #look(): Look {
    const { state } = this.#deployment;
    if (this.#isInstalling) return { description: vscode.l10n.t('installing…'), icon: busyIcon };
    switch (state.status) {
      case 'closed':
        return { description: vscode.l10n.t('not started'), icon: new vscode.ThemeIcon('circle-outline') };
      case 'opening':
        return { description: vscode.l10n.t('starting…'), icon: busyIcon };
      case 'refused':
        return { description: vscode.l10n.t('failed'), icon: failedIcon, problem: state };
      case 'open': {
        const { runtime } = state.live;
        if (runtime.state === 'starting' && this.#deployment.before !== undefined)
          return { description: vscode.l10n.t('reloading…'), icon: busyIcon };
        return lookOfRuntime(runtime);
      }
    }
  }

  #tooltip(description: string, problem: string | undefined): vscode.MarkdownString {
    const { state } = this.#deployment;
    const text = new vscode.MarkdownString();
    text.appendText(`${this.config.uri.fsPath}\n`);
    text.appendMarkdown('\n\n').appendText(problem ?? description);
    if (state.status !== 'open') return text;
    const { runtime, deployment_url } = state.live;
    text.appendMarkdown('\n\n').appendText(deployment_url);
    if (runtime.state === 'ready') {
      text.appendMarkdown('\n\n');
      text.appendText(
        `${runtime.language} ${runtime.language_version}, LangGraph ${runtime.langgraph_version}, ${runtime.loader}`,
      );
      for (const { executable, origin } of runtime.runtimes ?? []) {
        text.appendMarkdown('\n\n').appendText(`${executable} (${origin})`);
      }
    }
    return text;
  }
}

/** A deployment whose graphs have loaded. */
type LoadedDeployment = LiveDeployment & { readonly runtime: Extract<RuntimeState, { state: 'ready' }> };

/** The graphs of a deployment, or the previous ones while they are loaded again. */
function loadedIn(live: LiveDeployment, before: LiveDeployment | undefined): LoadedDeployment | undefined {
  const shown = live.runtime.state === 'starting' ? before : live;
  return shown?.runtime.state === 'ready' ? { ...shown, runtime: shown.runtime } : undefined;
}

/** Whether the graphs of a deployment are not known yet, because it was not opened or they still load. */
function isStarting(state: DeploymentState): boolean {
  if (state.status === 'open') return state.live.runtime.state === 'starting';
  return state.status !== 'refused';
}

/** A problem of a deployment as a whole, and its place in the sources if known. */
interface Problem {
  readonly message: string;
  readonly location?: SourceLocation | undefined;
}

/** The description and the icon of a row, and the problem that they show. */
interface Look {
  readonly description: string;
  readonly icon: vscode.ThemeIcon;
  readonly problem?: Problem;
}

function lookOfRuntime(runtime: RuntimeState): Look {
  switch (runtime.state) {
    case 'starting':
      return { description: vscode.l10n.t('starting…'), icon: busyIcon };
    case 'failed':
      return { description: vscode.l10n.t('failed'), icon: failedIcon, problem: runtime };
    case 'stopped':
      return { description: vscode.l10n.t('stopped'), icon: new vscode.ThemeIcon('circle-outline') };
    case 'ready': {
      const failed = runtime.graphs.filter(({ status }) => status === 'failed').length;
      const loaded = runtime.graphs.length - failed;
      const count = loaded === 1 ? vscode.l10n.t('1 graph') : vscode.l10n.t('{0} graphs', loaded);
      const { config_problem: problem } = runtime;
      if (problem !== undefined)
        return {
          description: joinParts(count, vscode.l10n.t('langgraph.json is not valid')),
          icon: partlyIcon,
          problem,
        };
      if (failed === 0) return { description: count, icon: readyIcon };
      if (loaded === 0 && isNotSetUp(runtime))
        return { description: vscode.l10n.t('not set up yet'), icon: notSetUpIcon };
      const failures = vscode.l10n.t('{0} failed', failed);
      if (loaded === 0) return { description: failures, icon: failedIcon };
      return { description: joinParts(count, failures), icon: partlyIcon };
    }
  }
}

/** A graph of an open folder's deployment. */
export class GraphElement implements TreeElement {
  readonly id: string;
  readonly parent: TreeElement & Pick<DeploymentElement, 'config' | 'lacksPackages'>;
  readonly graph: GraphStatus;
  readonly config: Config;
  readonly #live: LiveDeployment;

  constructor(graph: GraphStatus, live: LiveDeployment, parent: GraphElement['parent']) {
    this.graph = graph;
    this.parent = parent;
    this.config = parent.config;
    this.#live = live;
    this.id = `${parent.id}/graph:${graph.graph_id}`;
  }

  /** The place in the sources where the graph is defined or, if it failed to load, where the error is. */
  get location(): SourceLocation | undefined {
    return this.graph.status === 'loaded' ? this.graph.location : this.graph.error.location;
  }

  getTreeItem(): vscode.TreeItem {
    const item = new vscode.TreeItem(this.graph.graph_id);
    if (this.graph.status === 'loaded') {
      item.description = this.graph.description ?? '';
      item.iconPath = new vscode.ThemeIcon('type-hierarchy-sub');
      item.contextValue = 'graph';
      item.tooltip = joinParts(this.graph.graph_id, this.graph.description, this.#live.name);
      item.command = runRow(this);
    } else {
      item.description = shortFailure(this.graph.error.message).replaceAll(folderOf(this.config), '');
      item.iconPath = failedIcon;
      item.contextValue = this.parent.lacksPackages ? 'failedGraph.lacking' : 'failedGraph';
      item.tooltip = `${this.graph.error.name}: ${this.graph.error.message}`;
      item.command = openCommandFor(this.location ?? { file: this.config.uri.fsPath, line: 1 });
    }
    return item;
  }
}

/** A failure in the short form of a row; its tooltip shows the whole message. */
function shortFailure(message: string): string {
  const [, name] = /Cannot find package '([^']+)'/.exec(message) ?? [];
  return name === undefined ? message : vscode.l10n.t('package {0} is not installed', name);
}

/** The command that shows a place in a file. */
export function openCommandFor({ file, line, column = 1 }: SourceLocation): vscode.Command {
  const position = new vscode.Position(Math.max(0, line - 1), Math.max(0, column - 1));
  const options: vscode.TextDocumentShowOptions = { selection: new vscode.Range(position, position) };
  return {
    command: 'vscode.open',
    title: vscode.l10n.t('Go to Source'),
    arguments: [vscode.Uri.file(file), options],
  };
}
