import * as vscode from 'vscode';

/** A setting of a view, such as its filter, stored per open folder or workspace file. */
export class StoredSetting<T> implements vscode.Disposable {
  readonly #memento: vscode.Memento;
  readonly #key: string;
  readonly #initial: T;
  readonly #changed = new vscode.EventEmitter<T>();

  /** @param initial the value if nothing was chosen, such as an empty filter */
  constructor(memento: vscode.Memento, key: string, initial: T) {
    this.#memento = memento;
    this.#key = key;
    this.#initial = initial;
    void this.#setContext();
  }

  get value(): T {
    return this.#memento.get(this.#key, this.#initial);
  }

  get onDidChange(): vscode.Event<T> {
    return this.#changed.event;
  }

  async set(value: T): Promise<void> {
    await this.#memento.update(this.#key, value);
    await this.#setContext();
    this.#changed.fire(value);
  }

  /** Resets to the default. */
  async clear(): Promise<void> {
    await this.#memento.update(this.#key, undefined);
    await this.#setContext();
    this.#changed.fire(this.#initial);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  /** Sets the context key `agentHarbor.<key>`, for `when` clauses: whether something was chosen. */
  async #setContext(): Promise<void> {
    const isSet = this.#memento.get(this.#key) !== undefined;
    await vscode.commands.executeCommand('setContext', `agentHarbor.${this.#key}`, isSet);
  }
}
