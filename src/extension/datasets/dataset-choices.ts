import * as vscode from 'vscode';

/** The examples of a dataset that are shown; by default all of the current version. */
export interface DatasetChoice {
  /** A version: its time, or its tag. */
  readonly asOf?: string | undefined;
  readonly split?: string | undefined;
}

/** A choice as parameters of a request for examples. */
export interface ExampleFilter {
  readonly as_of?: string;
  readonly splits?: string[];
}

/** The examples that the Traces view shows of each dataset, until the window is closed. */
export class DatasetChoices implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #choices = new Map<string, DatasetChoice>();
  readonly onDidChange = this.#changed.event;

  of(datasetId: string): DatasetChoice {
    return this.#choices.get(datasetId) ?? {};
  }

  /** The parameters of a request for the chosen examples. */
  filterOf(datasetId: string): ExampleFilter {
    const { asOf, split } = this.of(datasetId);
    return { ...(asOf && { as_of: asOf }), ...(split && { splits: [split] }) };
  }

  /** Changes only the version, or only the split; undefined shows the current version, or all splits. */
  change(datasetId: string, part: DatasetChoice): void {
    this.#choices.set(datasetId, { ...this.of(datasetId), ...part });
    this.#changed.fire();
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
