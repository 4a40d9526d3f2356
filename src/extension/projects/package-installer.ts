import * as vscode from 'vscode';
import type { InstallChoice, RuntimeProgram, RuntimeState } from '../../contract/harbor.ts';
import type { Config } from '../deployments/configs.ts';
import type { FolderDeployment, FolderDeployments } from '../deployments/folder-deployments.ts';
import type { ErrorReporter } from '../dialogs/errors.ts';

/** A deployment whose graphs lack packages, and the ways to install these. */
interface MissingPackages {
  readonly config: Config;
  readonly program: RuntimeProgram;
  readonly choices: readonly InstallChoice[];
}

const CONTEXT_KEY = 'agentHarbor.lacksPackages';

/**
 * Offers to install the packages that graphs lack, installs them in a terminal, and loads the graphs again.
 */
export class PackageInstaller implements vscode.Disposable {
  readonly #deployments: FolderDeployments;
  readonly #errors: ErrorReporter;
  readonly #subscription: vscode.Disposable;
  /** Configs whose missing packages were offered already. */
  readonly #offered = new Set<string>();
  /** Configs whose packages are installed without asking. */
  readonly #unasked = new Set<string>();
  /** Installations that are going on, by config; each resolves to whether every step succeeded. */
  readonly #installing = new Map<string, Promise<boolean>>();
  readonly #changed = new vscode.EventEmitter<void>();

  constructor(deployments: FolderDeployments, errors: ErrorReporter) {
    this.#deployments = deployments;
    this.#errors = errors;
    this.#subscription = deployments.onDidChange(() => void this.#check());
  }

  /** Fires when an installation begins or ends. */
  get onDidChange(): vscode.Event<void> {
    return this.#changed.event;
  }

  isInstalling(configPath: string): boolean {
    return this.#installing.has(configPath);
  }

  dispose(): void {
    this.#changed.dispose();
    this.#subscription.dispose();
  }

  /** Asks which deployment and which tool if there are several, and installs. */
  async installChosen(config: Config | undefined): Promise<void> {
    const missing = (await this.#findMissing()).filter(
      (found) => config === undefined || found.config.uri.fsPath === config.uri.fsPath,
    );
    const items = missing.flatMap((found) =>
      found.choices.map((choice) => ({
        label: titleOf(choice),
        description: found.config.name,
        detail: choice.steps.map((step) => step.join(' ')).join('; '),
        install: () => this.#install(found, choice),
      })),
    );
    const [only] = items;
    const picked =
      items.length === 1
        ? only
        : await vscode.window.showQuickPick(items, {
            title: vscode.l10n.t('Install Dependencies'),
            placeHolder: vscode.l10n.t('Select how to install the missing packages'),
          });
    await picked?.install();
  }

  /**
   * Installs the packages that a deployment's graphs lack with the most suitable tool, without asking.
   * @returns whether every step succeeded, or none was needed; if not, the terminal shows why
   */
  async installBest(config: Config): Promise<boolean> {
    const key = config.uri.fsPath;
    this.#unasked.add(key);
    try {
      await this.#deployments.openLoaded(config);
      const found = (await this.#findMissing()).find((one) => one.config.uri.fsPath === key);
      const choice = found?.choices[0];
      if (found === undefined || choice === undefined) return true;
      // These packages count as offered, so that they are not offered again if the installation fails.
      this.#offered.add(key);
      return await this.#install(found, choice);
    } finally {
      this.#unasked.delete(key);
    }
  }

  /** Sets the context key, and offers packages that have not been offered since they are missing. */
  async #check(): Promise<void> {
    const missing = await this.#findMissing();
    await vscode.commands.executeCommand('setContext', CONTEXT_KEY, missing.length > 0);
    const lacking = new Set(missing.map(({ config }) => config.uri.fsPath));
    const loading = (await this.#deployments.list()).filter(isLoading).map(({ config }) => config.uri.fsPath);
    for (const key of this.#offered) {
      if (!lacking.has(key) && !loading.includes(key)) this.#offered.delete(key);
    }
    for (const found of missing) {
      const key = found.config.uri.fsPath;
      if (this.#offered.has(key) || this.#unasked.has(key)) continue;
      this.#offered.add(key);
      this.#errors.watch(this.#offer(found), 'install packages');
    }
  }

  async #offer(found: MissingPackages): Promise<void> {
    const { config, program, choices } = found;
    const sentence =
      program.language === 'node'
        ? vscode.l10n.t('Dependencies for {0} are not installed.', config.name)
        : program.langgraph_version === ''
          ? vscode.l10n.t('{0}: LangGraph is not installed for {1}.', config.name, program.executable)
          : vscode.l10n.t(
              '{0}: Packages that its graphs import are not installed for {1}.',
              config.name,
              program.executable,
            );
    const chosen = await vscode.window.showWarningMessage(sentence, ...choices.map(titleOf));
    const choice = choices.find((one) => titleOf(one) === chosen);
    if (choice !== undefined) await this.#install(found, choice);
  }

  /**
   * Installs packages, unless an installation for the config is going on already.
   * @returns whether every step succeeded
   */
  #install({ config }: MissingPackages, choice: InstallChoice): Promise<boolean> {
    const key = config.uri.fsPath;
    const going = this.#installing.get(key);
    if (going !== undefined) return going;
    const begun = this.#runSteps(config, choice).finally(() => {
      this.#installing.delete(key);
      this.#changed.fire();
    });
    this.#installing.set(key, begun);
    this.#changed.fire();
    return begun;
  }

  async #runSteps(config: Config, choice: InstallChoice): Promise<boolean> {
    const { runInTerminal } = await import('./run-in-terminal.ts');
    const cwd = vscode.Uri.joinPath(config.uri, '..').fsPath;
    for (const [command = '', ...args] of choice.steps) {
      const done = await runInTerminal({ title: titleOf(choice), command, args, cwd });
      // If a step fails, the terminal shows why.
      if (!done) return false;
    }
    await this.#deployments.reload(config);
    // Until the graphs have loaded with them, the packages still count as missing.
    await this.#deployments.openLoaded(config);
    return true;
  }

  async #findMissing(): Promise<MissingPackages[]> {
    return (await this.#deployments.list()).flatMap(({ config, state }) => {
      if (state.status !== 'open' || state.live.runtime.state !== 'ready') return [];
      const program = lackingProgram(state.live.runtime);
      return program === undefined ? [] : [{ config, program, choices: program.install }];
    });
  }
}

/** The first program of a runtime whose graphs lack packages that can be installed. */
export function lackingProgram(
  runtime: RuntimeState,
): (RuntimeProgram & { readonly install: readonly InstallChoice[] }) | undefined {
  if (runtime.state !== 'ready') return undefined;
  for (const program of runtime.runtimes ?? []) {
    const { install } = program;
    if (install !== undefined && install.length > 0) return { ...program, install };
  }
  return undefined;
}

function isLoading({ state }: FolderDeployment): boolean {
  return state.status === 'opening' || (state.status === 'open' && state.live.runtime.state === 'starting');
}

function titleOf({ tool }: InstallChoice): string {
  return vscode.l10n.t('Install with {0}', tool);
}
