import * as vscode from 'vscode';
import type { FolderConfigsParams } from '../../contract/language-server.ts';
import type { FolderConfigs } from '../deployments/configs.ts';
import type { FolderDeployment, FolderDeployments } from '../deployments/folder-deployments.ts';
import type { ErrorReporter } from '../dialogs/errors.ts';
import type { HarborLanguageClient } from './language-client.ts';

interface LanguageSupportParts {
  readonly context: vscode.ExtensionContext;
  readonly configs: FolderConfigs;
  readonly deployments: FolderDeployments;
  readonly errors: ErrorReporter;
  readonly log: vscode.LogOutputChannel;
}

/**
 * Starts the language server once a trusted folder has a langgraph.json, and tells it whether the graphs have
 * loaded.
 */
export class LanguageSupport implements vscode.Disposable {
  readonly #parts: LanguageSupportParts;
  readonly #subscriptions: vscode.Disposable;
  #client: Promise<HarborLanguageClient> | undefined;

  constructor(parts: LanguageSupportParts) {
    this.#parts = parts;
    const update = () => {
      this.#update().catch((error) => parts.errors.log(error, 'language server'));
    };
    this.#subscriptions = vscode.Disposable.from(
      parts.configs.onDidChange(update),
      parts.deployments.onDidChange(update),
      vscode.workspace.onDidGrantWorkspaceTrust(update),
    );
    update();
  }

  async dispose(): Promise<void> {
    this.#subscriptions.dispose();
    // A client that could not be started need not be stopped.
    const client = await this.#client?.catch(() => undefined);
    await client?.stop();
  }

  async #update(): Promise<void> {
    // Restricted Mode starts nothing and reads nothing in the folder, as documented.
    if (!vscode.workspace.isTrusted) return;
    const deployments = await this.#parts.deployments.list();
    if (deployments.length === 0 && this.#client === undefined) return;
    this.#client ??= this.#start();
    const client = await this.#client;
    // Listed again, so that changes made in the meantime are sent too.
    await client.sendConfigs({ configs: (await this.#parts.deployments.list()).map(configOf) });
  }

  async #start(): Promise<HarborLanguageClient> {
    const { context, log } = this.#parts;
    const { HarborLanguageClient } = await import('./language-client.ts');
    return HarborLanguageClient.start({
      serverPath: context.asAbsolutePath('dist/language-server.cjs'),
      log,
    });
  }
}

function configOf({ config, state }: FolderDeployment): FolderConfigsParams['configs'][number] {
  const path = config.uri.fsPath;
  switch (state.status) {
    case 'open':
      return { path, runtime: state.live.runtime };
    case 'refused': {
      const { message, location } = state;
      return { path, runtime: { state: 'failed', message, ...(location === undefined ? {} : { location }) } };
    }
    case 'opening':
    case 'closed':
      return { path };
  }
}
