import * as vscode from 'vscode';
import type { PlatformConnection } from '../connections/connection.ts';
import type { ErrorReporter } from '../dialogs/errors.ts';
import type { FolderDeployments } from './folder-deployments.ts';
import { shouldTracePrograms, TRACE_PROGRAMS } from './traced-programs.ts';

/**
 * If the setting `agentHarbor.autoStart` is on, starts the server when a view becomes visible in a trusted
 * folder with a langgraph.json. If programs are traced, the server starts as soon as such a folder is open,
 * because other extensions may keep the environment that they see first. After a manual stop, only a command
 * starts the server.
 */
export class AutoStart implements vscode.Disposable {
  readonly #connection: PlatformConnection;
  readonly #deployments: FolderDeployments;
  readonly #errors: ErrorReporter;
  readonly #subscriptions: vscode.Disposable;
  #wasSeen = false;
  #isHeldBack = false;

  constructor(connection: PlatformConnection, deployments: FolderDeployments, errors: ErrorReporter) {
    this.#connection = connection;
    this.#deployments = deployments;
    this.#errors = errors;
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#startIfWanted()),
      deployments.onDidChange(() => this.#startIfWanted()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration(TRACE_PROGRAMS)) void this.#startIfWanted();
      }),
    );
    void this.#startIfWanted();
  }

  /** Starts the server if it is due, because a view has become visible. */
  onVisible(): void {
    this.#wasSeen = true;
    void this.#startIfWanted();
  }

  /** Whether a stopped server would start automatically as soon as a view is visible. */
  async isDue(): Promise<boolean> {
    if (this.#isHeldBack || !isWanted()) return false;
    return this.#deployments.canServe();
  }

  /** Turns automatic starts off, because the user has stopped the server. */
  holdBack(): void {
    this.#isHeldBack = true;
  }

  /** Turns automatic starts on again, because the user has started the server. */
  release(): void {
    this.#isHeldBack = false;
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  async #startIfWanted(): Promise<void> {
    const isStopped = () => this.#connection.state.status === 'stopped';
    if (!(this.#wasSeen || shouldTracePrograms()) || !isStopped()) return;
    if (!(await this.isDue()) || !isStopped()) return;
    try {
      // When the connection is ready, `FolderDeployments` opens the selected deployment.
      await this.#connection.connect();
    } catch (error) {
      await this.#errors.report(error, 'start the server');
    }
  }
}

function isWanted(): boolean {
  return vscode.workspace.getConfiguration('agentHarbor').get('autoStart', true);
}
