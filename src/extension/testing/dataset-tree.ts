import * as vscode from 'vscode';
import {
  DATASET_ENDING,
  type DatasetFile,
  type FileExample,
  parseDatasetFile,
} from '../../evaluation/dataset-file.ts';

/** The dataset or example behind a row of the Testing view. */
export interface DatasetRow {
  readonly uri: vscode.Uri;
  readonly file: DatasetFile;
  /** Undefined for the row of the dataset. */
  readonly example: FileExample | undefined;
}

/** The rows of the Testing view: each dataset with its examples, which lead to their lines in the file. */
export class DatasetTree {
  readonly #controller: vscode.TestController;
  readonly #rows = new WeakMap<vscode.TestItem, DatasetRow>();
  readonly #scores = new WeakMap<vscode.TestItem, string>();

  constructor(controller: vscode.TestController) {
    this.#controller = controller;
  }

  /** Shows these datasets, and no others. */
  async show(uris: readonly vscode.Uri[]): Promise<void> {
    const wanted = new Set(uris.map(String));
    for (const [id] of this.#controller.items) if (!wanted.has(id)) this.#controller.items.delete(id);
    await Promise.all(uris.map((uri) => this.refresh(uri)));
  }

  /** Reads a dataset again, or removes its row when it no longer exists. */
  async refresh(uri: vscode.Uri): Promise<void> {
    const text = await readText(uri);
    if (text === undefined) this.#controller.items.delete(uri.toString());
    else this.#fill(uri, parseDatasetFile(uri.fsPath, text));
  }

  /** Refreshes a dataset, and returns its row. @throws Error if its file cannot be read */
  async read(uri: vscode.Uri): Promise<DatasetRow> {
    await this.refresh(uri);
    const item = this.datasetItem(uri);
    const row = item && this.#rows.get(item);
    if (row === undefined) throw new Error(vscode.l10n.t('File not found: {0}.', uri.fsPath));
    return row;
  }

  rowOf(item: vscode.TestItem): DatasetRow | undefined {
    return this.#rows.get(item);
  }

  /** The row of a dataset; undefined when it was removed. */
  datasetItem(uri: vscode.Uri): vscode.TestItem | undefined {
    return this.#controller.items.get(uri.toString());
  }

  /** The current row of an example; undefined when it was removed. */
  itemOf(uri: vscode.Uri, example: FileExample): vscode.TestItem | undefined {
    return this.datasetItem(uri)?.children.get(example.key);
  }

  /**
   * Shows the scores of an example in the label of its row, because a screen reader reads only the
   * description of a row that has one.
   */
  showScores(item: vscode.TestItem, scores: string): void {
    this.#scores.set(item, scores);
    const label = this.#rows.get(item)?.example?.label ?? item.label;
    item.label = scores === '' ? label : `${label} · ${scores}`;
  }

  #fill(uri: vscode.Uri, file: DatasetFile): void {
    const item = this.datasetItem(uri) ?? this.#controller.createTestItem(uri.toString(), file.name, uri);
    item.label = [file.name, describePlace(uri, file)].filter((part) => part !== '').join(' · ');
    item.error =
      file.problems.length === 0
        ? undefined
        : file.problems.map(({ line, message }) => vscode.l10n.t('Line {0}: {1}', line, message)).join('\n');
    this.#rows.set(item, { uri, file, example: undefined });
    const children = file.examples.map((example) => {
      // An existing row keeps the result of its last run.
      const child =
        item.children.get(example.key) ?? this.#controller.createTestItem(example.key, example.label, uri);
      child.sortText = String(example.line).padStart(8, '0');
      child.range = new vscode.Range(example.line - 1, 0, example.line - 1, 0);
      child.tags = [example.split ?? 'base'].flat().map((split) => new vscode.TestTag(split));
      this.#rows.set(child, { uri, file, example });
      this.showScores(child, this.#scores.get(child) ?? '');
      return child;
    });
    item.children.replace(children);
    this.#controller.items.add(item);
  }
}

/**
 * The folder of a dataset's file, or the file's path if the name of the dataset differs from that of the
 * file.
 */
function describePlace(uri: vscode.Uri, { name }: DatasetFile): string {
  const path = vscode.workspace.asRelativePath(uri);
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  return path.slice(folder === '' ? 0 : folder.length + 1) === `${name}${DATASET_ENDING}` ? folder : path;
}

/** The text of a file on disk; undefined if it cannot be read. */
async function readText(uri: vscode.Uri): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    return undefined;
  }
}
