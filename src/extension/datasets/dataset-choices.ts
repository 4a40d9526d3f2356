import * as vscode from 'vscode';

/** Which examples of a dataset are shown; all of the current version by default. */
export interface DatasetChoice {
  /** A version: its time, or its tag. */
  readonly asOf?: string | undefined;
  readonly split?: string | undefined;
}

/** The choice of the Traces view for each dataset, until the window closes. */
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
