import * as vscode from 'vscode';
import type { PlatformConnection } from './connections/connection.ts';
import type { FolderDeployments } from './deployments/folder-deployments.ts';
import type { ErrorReporter } from './errors.ts';

/**
 * Starts the server when a view becomes visible in a trusted folder with a langgraph.json. After a manual
 * stop it only starts by command.
 */
export class AutoStart implements vscode.Disposable {
  readonly #connection: PlatformConnection;
  readonly #deployments: FolderDeployments;
  readonly #errors: ErrorReporter;
  readonly #trust: vscode.Disposable;
  #wasSeen = false;
  #isHeldBack = false;

  constructor(connection: PlatformConnection, deployments: FolderDeployments, errors: ErrorReporter) {
    this.#connection = connection;
    this.#deployments = deployments;
    this.#errors = errors;
    this.#trust = vscode.Disposable.from(
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#startIfWanted()),
      deployments.onDidChange(() => this.#startIfWanted()),
    );
  }

  /** A view has come into sight. */
  onVisible(): void {
    this.#wasSeen = true;
    void this.#startIfWanted();
  }

  /** The user has stopped the server. */
  holdBack(): void {
    this.#isHeldBack = true;
  }

  /** The user has started it again. */
  release(): void {
    this.#isHeldBack = false;
  }

  dispose(): void {
    this.#trust.dispose();
  }

  async #startIfWanted(): Promise<void> {
    const isStopped = () => this.#connection.state.status === 'stopped';
    if (!this.#wasSeen || this.#isHeldBack || !isStopped()) return;
    if (!vscode.workspace.getConfiguration('agentHarbor').get('autoStart', true)) return;
    if (!(await this.#deployments.canServe()) || !isStopped()) return;
    try {
      // Once connected, the selected deployment is opened.
      await this.#connection.connect();
    } catch (error) {
      await this.#errors.report(error, 'start the server');
    }
  }
}
