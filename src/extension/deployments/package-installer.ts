import * as vscode from 'vscode';
import type { InstallChoice, RuntimeProgram } from '../../contract/harbor.ts';
import type { Config } from '../configs.ts';
import type { ErrorReporter } from '../errors.ts';
import type { WorkspaceDeployment, WorkspaceDeployments } from './workspace-deployments.ts';

/** A deployment whose graphs lack packages, and the ways to install them. */
interface Lack {
  readonly config: Config;
  readonly program: RuntimeProgram;
  readonly choices: readonly InstallChoice[];
}

const contextKey = 'agentHarbor.lacksPackages';

/** Offers to install what Python graphs lack, does it in a terminal, and loads the graphs again. */
export class PackageInstaller implements vscode.Disposable {
  readonly #deployments: WorkspaceDeployments;
  readonly #errors: ErrorReporter;
  readonly #subscription: vscode.Disposable;
  /** What has been offered already and still lacks, by config. */
  readonly #offered = new Set<string>();

  constructor(deployments: WorkspaceDeployments, errors: ErrorReporter) {
    this.#deployments = deployments;
    this.#errors = errors;
    this.#subscription = deployments.onDidChange(() => void this.#look());
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  /** Asks which deployment and which tool where there are several, and installs. */
  async installChosen(config: Config | undefined): Promise<void> {
    const lacks = (await this.#lacks()).filter((lack) => config === undefined || lack.config === config);
    const items = lacks.flatMap((lack) =>
      lack.choices.map((choice) => ({
        label: titleOf(choice),
        description: lack.config.name,
        detail: choice.steps.map((step) => step.join(' ')).join('; '),
        install: () => this.#install(lack, choice),
      })),
    );
    const picked = await vscode.window.showQuickPick(items, {
      placeHolder: vscode.l10n.t('How to install what the graphs lack'),
    });
    await picked?.install();
  }

  async #look(): Promise<void> {
    const lacks = await this.#lacks();
    await vscode.commands.executeCommand('setContext', contextKey, lacks.length > 0);
    const lacking = new Set(lacks.map(({ config }) => config.uri.fsPath));
    const loading = (await this.#deployments.list()).filter(isLoading).map(({ config }) => config.uri.fsPath);
    for (const key of this.#offered) {
      if (!lacking.has(key) && !loading.includes(key)) this.#offered.delete(key);
    }
    for (const lack of lacks) {
      const key = lack.config.uri.fsPath;
      if (this.#offered.has(key)) continue;
      this.#offered.add(key);
      void this.#offer(lack).catch((error) => this.#errors.report(error, 'install packages'));
    }
  }

  async #offer(lack: Lack): Promise<void> {
    const { config, program, choices } = lack;
    const sentence =
      program.langgraph_version === ''
        ? vscode.l10n.t('{0}: LangGraph is not installed in {1}.', config.name, program.executable)
        : vscode.l10n.t(
            '{0}: packages that its graphs import are not installed in {1}.',
            config.name,
            program.executable,
          );
    const chosen = await vscode.window.showWarningMessage(sentence, ...choices.map(titleOf));
    const choice = choices.find((one) => titleOf(one) === chosen);
    if (choice !== undefined) await this.#install(lack, choice);
  }

  async #install({ config }: Lack, choice: InstallChoice): Promise<void> {
    const cwd = vscode.Uri.joinPath(config.uri, '..').fsPath;
    for (const [command = '', ...args] of choice.steps) {
      const done = await runInTerminal(titleOf(choice), command, args, cwd);
      // The terminal says why.
      if (!done) return;
    }
    await this.#deployments.reload(config);
  }

  async #lacks(): Promise<Lack[]> {
    return (await this.#deployments.list()).flatMap(({ config, state }) => {
      if (state.status !== 'open' || state.live.runtime.state !== 'ready') return [];
      const program = state.live.runtime.runtimes?.find(({ install }) => install !== undefined);
      return program?.install === undefined ? [] : [{ config, program, choices: program.install }];
    });
  }
}

function isLoading({ state }: WorkspaceDeployment): boolean {
  return state.status === 'opening' || (state.status === 'open' && state.live.runtime.state === 'starting');
}

function titleOf({ tool }: InstallChoice): string {
  return vscode.l10n.t('Install with {0}', tool);
}

/** Runs a program in a terminal of its own. @returns whether it ended well. */
async function runInTerminal(title: string, command: string, args: string[], cwd: string): Promise<boolean> {
  const task = new vscode.Task(
    { type: 'process' },
    vscode.TaskScope.Workspace,
    title,
    'Agent Harbor',
    new vscode.ProcessExecution(command, args, { cwd }),
  );
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, panel: vscode.TaskPanelKind.Shared };
  const ended = Promise.withResolvers<boolean>();
  const subscriptions = vscode.Disposable.from(
    vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) => {
      if (execution.task.name === title) ended.resolve(exitCode === 0);
    }),
    // One whose program cannot be started has no process to end.
    vscode.tasks.onDidEndTask(({ execution }) => {
      if (execution.task.name === title) setTimeout(() => ended.resolve(false), 1_000);
    }),
  );
  try {
    await vscode.tasks.executeTask(task);
    return await ended.promise;
  } finally {
    subscriptions.dispose();
  }
}
