import * as vscode from 'vscode';

/** Projects that could not be run when this window first showed them, until they are run. */
export class SetupGuide implements vscode.Disposable {
  readonly #configs = new Set<string>();
  readonly #finished = new vscode.EventEmitter<void>();

  /** Fires when a project has been run. */
  get onDidFinish(): vscode.Event<void> {
    return this.#finished.event;
  }

  /** Adds a project that cannot be run yet. @param configPath the path of its langgraph.json */
  begin(configPath: string): void {
    this.#configs.add(configPath);
  }

  isUnderWay(configPath: string): boolean {
    return this.#configs.has(configPath);
  }

  /**
   * @param deployment the key of the deployment that is run; in an open folder, the path of its
   *   langgraph.json
   */
  finish(deployment: string): void {
    if (this.#configs.delete(deployment)) this.#finished.fire();
  }

  dispose(): void {
    this.#finished.dispose();
  }
}
