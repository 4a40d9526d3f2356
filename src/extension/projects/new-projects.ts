import * as vscode from 'vscode';
import type { CreatedProject } from '../../project/create-project.ts';
import type { FolderConfigs } from '../deployments/configs.ts';
import type { FolderDeployments } from '../deployments/folder-deployments.ts';
import type { RunTarget } from '../deployments/run-target.ts';
import type { ErrorReporter } from '../dialogs/errors.ts';
import type { PackageInstaller } from './package-installer.ts';

/**
 * Where a new project is opened: `here` is below a folder that is already open, `add` adds a folder to this
 * window.
 */
export type WayToOpen = 'here' | 'this-window' | 'new-window' | 'add';

type NewProject = Pick<CreatedProject, 'folder' | 'name' | 'configPath' | 'graphPath'>;

interface NewProjectsParts {
  readonly configs: FolderConfigs;
  readonly deployments: FolderDeployments;
  readonly installer: PackageInstaller;
  readonly openRunPanel: (target: RunTarget) => Promise<void>;
  /** Shared by all windows, because the project may be created in one and opened in another. */
  readonly memento: vscode.Memento;
  readonly errors: ErrorReporter;
}

const PENDING_KEY = 'newProject';

/**
 * Guides a new project to its first run: opens it, shows its graph, installs its dependencies and opens the
 * run panel. The remaining steps are saved, because opening a folder restarts the extension.
 */
export class NewProjects implements vscode.Disposable {
  readonly #parts: NewProjectsParts;
  readonly #subscription: vscode.Disposable;

  constructor(parts: NewProjectsParts) {
    this.#parts = parts;
    const resume = () => parts.errors.watch(this.#resume(), 'set up a new project');
    this.#subscription = vscode.workspace.onDidChangeWorkspaceFolders(resume);
    resume();
  }

  /** Opens a project, and prepares it once it is open. Nobody waits for this; errors are reported. */
  open(project: CreatedProject, way: WayToOpen): void {
    this.#parts.errors.watch(this.#open(project, way), `open ${project.name}`);
  }

  async #open(project: CreatedProject, way: WayToOpen): Promise<void> {
    if (way === 'here') return this.#begin(project);
    const { folder, name, configPath, graphPath } = project;
    const pending: NewProject = { folder, name, configPath, graphPath };
    await this.#parts.memento.update(PENDING_KEY, pending);
    const uri = vscode.Uri.file(folder);
    if (way === 'add') {
      vscode.workspace.updateWorkspaceFolders(vscode.workspace.workspaceFolders?.length ?? 0, 0, { uri });
      return;
    }
    await vscode.commands.executeCommand('vscode.openFolder', uri, {
      forceNewWindow: way === 'new-window',
      forceReuseWindow: way === 'this-window',
    });
  }

  /** Continues with a project created before the folder was opened, or in another window. */
  async #resume(): Promise<void> {
    const pending = this.#parts.memento.get<NewProject>(PENDING_KEY);
    if (pending === undefined) return;
    if (vscode.workspace.getWorkspaceFolder(vscode.Uri.file(pending.configPath)) === undefined) return;
    await this.#parts.memento.update(PENDING_KEY, undefined);
    await this.#begin(pending);
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  async #begin(project: NewProject): Promise<void> {
    try {
      await waitForTrust();
      await this.#makeReady(project);
    } catch (error) {
      await this.#parts.errors.report(error, `set up ${project.name}`);
    }
  }

  async #makeReady({ configPath, graphPath }: NewProject): Promise<void> {
    const { configs, deployments, installer, openRunPanel } = this.#parts;
    configs.rescan();
    await vscode.window.showTextDocument(vscode.Uri.file(graphPath), { preview: false });
    await vscode.commands.executeCommand('agentHarbor.deployments.focus');
    const config = await deployments.find(configPath);
    if (config === undefined) return;
    await deployments.select(config);
    const { installVisibly } = await import('./install-visibly.ts');
    if (!(await installVisibly(installer, config))) return;
    const { live } = await deployments.openLoaded(config);
    const graph =
      live.runtime.state === 'ready'
        ? live.runtime.graphs.find(({ status }) => status === 'loaded')
        : undefined;
    // If none has loaded, the tree shows why.
    if (graph === undefined) return;
    const { graph_id } = graph;
    const viewColumn = vscode.ViewColumn.Beside;
    await openRunPanel({ deployment: configPath, assistantId: graph_id, name: graph_id, viewColumn });
  }
}

/** Waits until the folder is trusted, because what follows runs its code. */
async function waitForTrust(): Promise<void> {
  if (vscode.workspace.isTrusted) return;
  await new Promise<void>((resolve) => {
    const subscription = vscode.workspace.onDidGrantWorkspaceTrust(() => {
      subscription.dispose();
      resolve();
    });
  });
}
