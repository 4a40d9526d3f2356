import * as vscode from 'vscode';

/** The examples of a dataset that are shown; by default all of the current version. */
export interface DatasetChoice {
  /** A version: its time, or its tag. */
  readonly asOf?: string | undefined;
  readonly split?: string | undefined;
}

/** The examples that the Traces view shows of each dataset, until the window is closed. */
export class DatasetChoices implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #choices = new Map<string, DatasetChoice>();
  readonly onDidChange = this.#changed.event;

  of(datasetId: string): DatasetChoice {
    return this.#choices.get(datasetId) ?? {};
  }

  /** Changes a part of the choice; undefined removes it. */
  narrow(datasetId: string, part: DatasetChoice): void {
    this.#choices.set(datasetId, { ...this.of(datasetId), ...part });
    this.#changed.fire();
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
