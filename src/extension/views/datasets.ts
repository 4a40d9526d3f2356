import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import type { Dataset } from '../../contract/datasets/datasets.ts';
import { dateOf } from '../../terms/times.ts';
import type { PlatformConnection } from '../connections/connection.ts';
import type { DatasetChoices } from '../datasets/dataset-choices.ts';
import { ago, formatExampleCount, joinParts, shortId } from '../wording/format.ts';
import { exampleTitle } from '../wording/titles.ts';
import { MoreElement } from './more.ts';
import { NoteElement } from './note.ts';
import type { TreeElement } from './tree.ts';

/**
 * As in `src/evaluation/project-identity.ts`, which would be one more file to read when the extension starts.
 */
const FILE_KEY = 'agent_harbor_file';
/** How many examples a dataset shows at first, and how many more each time. */
const PAGE_SIZE = 50;
/** How many datasets are listed at first, and how many more each time. */
const DATASETS_SIZE = 100;
/** The split of examples without one. */
const DEFAULT_SPLIT = 'base';

interface DatasetsParts {
  readonly connection: PlatformConnection;
  readonly client: Client;
  /** How many datasets are shown, and how many examples each of them shows, by the ID of the row. */
  readonly shown: Map<string, number>;
  readonly choices: DatasetChoices;
}

/** The fields of an example in lists. */
interface FoundExample {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly inputs?: unknown;
  readonly created_at?: string | undefined;
  readonly modified_at?: string | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

const DATASETS_ID = 'datasets';

/** The row with the datasets of a platform, below its projects; undefined if it has none, or no endpoint for datasets. */
export async function readDatasets(parts: DatasetsParts): Promise<DatasetsElement | undefined> {
  const { client, shown } = parts;
  try {
    const found = await listDatasets(client, shown.get(DATASETS_ID) ?? DATASETS_SIZE);
    return found.datasets.length === 0 ? undefined : new DatasetsElement(found, parts);
  } catch (error) {
    // Traces are still shown; the row of the datasets says why it has none.
    const { isUnknownEndpoint } = await import('../../client/is-unknown-endpoint.ts');
    return isUnknownEndpoint(error) ? undefined : new DatasetsElement({ error }, parts);
  }
}

interface FoundDatasets {
  readonly datasets: readonly Dataset[];
  /** How many were asked for. */
  readonly wanted: number;
  readonly isMore: boolean;
}

async function listDatasets(client: Client, wanted: number): Promise<FoundDatasets> {
  const { readUpTo } = await import('../../client/read-up-to.ts');
  const order = { sort_by: 'modified_at' } as const;
  const { found, isMore } = await readUpTo(wanted, (page) =>
    client.datasets.list({ query: { ...page, ...order } }),
  );
  return { datasets: found, wanted, isMore };
}

class DatasetsElement implements TreeElement {
  readonly id = DATASETS_ID;
  #read: FoundDatasets | { readonly error: unknown };
  readonly #parts: DatasetsParts;

  /** @param read the datasets, or why they cannot be read */
  constructor(read: FoundDatasets | { readonly error: unknown }, parts: DatasetsParts) {
    this.#read = read;
    this.#parts = parts;
  }

  getTreeItem(): vscode.TreeItem {
    const item = new vscode.TreeItem(vscode.l10n.t('Datasets'), vscode.TreeItemCollapsibleState.Collapsed);
    item.description = this.#count;
    item.iconPath =
      'error' in this.#read
        ? new vscode.ThemeIcon('error', new vscode.ThemeColor('errorForeground'))
        : new vscode.ThemeIcon('library');
    item.contextValue = 'datasets';
    item.accessibilityInformation = { label: vscode.l10n.t('Datasets, {0}', this.#count) };
    return item;
  }

  get #count(): string {
    if ('error' in this.#read) return vscode.l10n.t('could not be read');
    const { datasets, isMore } = this.#read;
    return isMore ? `${datasets.length}+` : String(datasets.length);
  }

  /** @throws the error for which the datasets cannot be read */
  async getChildren(): Promise<readonly TreeElement[]> {
    if ('error' in this.#read) throw this.#read.error;
    const { client, shown } = this.#parts;
    const wanted = shown.get(this.id) ?? DATASETS_SIZE;
    if (wanted > this.#read.wanted) this.#read = await listDatasets(client, wanted);
    const { datasets, isMore } = this.#read;
    const rows = datasets.map((dataset) => new DatasetElement(dataset, this.#parts, this));
    if (!isMore) return rows;
    return [...rows, new MoreElement(this, undefined, () => shown.set(this.id, wanted + DATASETS_SIZE))];
  }
}

/** A dataset, which expands into its examples. */
export class DatasetElement implements TreeElement {
  readonly id: string;
  readonly parent: TreeElement;
  readonly dataset: Dataset;
  readonly #parts: DatasetsParts;

  constructor(dataset: Dataset, parts: DatasetsParts, parent: TreeElement) {
    this.dataset = dataset;
    this.#parts = parts;
    this.parent = parent;
    this.id = `dataset:${dataset.id}`;
  }

  get client(): Client {
    return this.#parts.client;
  }

  /** The ID of the connection whose platform has the dataset. */
  get connection(): string {
    return this.#parts.connection.id;
  }

  /** The project's file with its examples, relative to the folder of langgraph.json. */
  get file(): string | undefined {
    const file = this.dataset.metadata?.[FILE_KEY];
    return typeof file === 'string' ? file : undefined;
  }

  getTreeItem(): vscode.TreeItem {
    const { name, description, example_count, modified_at } = this.dataset;
    const item = new vscode.TreeItem(name, vscode.TreeItemCollapsibleState.Collapsed);
    const { asOf, split } = this.#parts.choices.of(this.dataset.id);
    item.description = joinParts(
      this.file,
      // The platform counts all examples of the current version.
      asOf === undefined && split === undefined ? formatExampleCount(example_count ?? 0) : undefined,
      asOf && vscode.l10n.t('version of {0}', dateOf(asOf)?.toLocaleString() ?? asOf),
      split && vscode.l10n.t('split {0}', split),
      ago(modified_at),
    );
    item.iconPath = new vscode.ThemeIcon('database');
    item.contextValue = this.file === undefined ? 'dataset' : 'dataset.file';
    item.tooltip = joinParts(name, description ?? undefined, this.file);
    item.accessibilityInformation = {
      label: joinParts(vscode.l10n.t('dataset {0}', name), item.description),
    };
    return item;
  }

  async getChildren(): Promise<readonly TreeElement[]> {
    const { client, shown, choices } = this.#parts;
    const { asOf } = choices.of(this.dataset.id);
    const filter = choices.filterOf(this.dataset.id);
    const wanted = shown.get(this.id) ?? PAGE_SIZE;
    const { readUpTo } = await import('../../client/read-up-to.ts');
    const { found, isMore } = await readUpTo<FoundExample>(wanted, (page) =>
      client.examples.list({ query: { ...filter, ...page, dataset: this.dataset.id } }),
    );
    if (found.length === 0) return [new NoteElement(this, vscode.l10n.t('No examples.'))];
    // Without a selection of fields, the platform returns every example with its ID.
    const rows = found.flatMap((example) =>
      example.id === undefined ? [] : [new ExampleElement(example.id, example, this, asOf)],
    );
    if (!isMore) return rows;
    return [...rows, new MoreElement(this, undefined, () => shown.set(this.id, wanted + PAGE_SIZE))];
  }
}

/** An example of a dataset. */
export class ExampleElement implements TreeElement {
  readonly id: string;
  readonly exampleId: string;
  readonly parent: DatasetElement;
  /** Its name or first words. */
  readonly label: string;
  /** The earlier version that is shown; undefined for the current one. */
  readonly asOf: string | undefined;
  readonly #example: FoundExample;

  constructor(exampleId: string, example: FoundExample, parent: DatasetElement, asOf: string | undefined) {
    this.asOf = asOf;
    this.exampleId = exampleId;
    this.#example = example;
    this.parent = parent;
    this.id = `example:${exampleId}`;
    this.label = exampleTitle(example) ?? shortId(exampleId);
  }

  get inputs(): unknown {
    return this.#example.inputs;
  }

  /** Its splits, without the one that examples are in by default. */
  get splits(): readonly string[] {
    const found = this.#example.metadata?.dataset_split;
    if (!Array.isArray(found)) return [];
    return found.filter((split): split is string => typeof split === 'string' && split !== DEFAULT_SPLIT);
  }

  getTreeItem(): vscode.TreeItem {
    const { modified_at, created_at } = this.#example;
    const item = new vscode.TreeItem(this.label);
    item.description = joinParts(this.splits.join(', '), ago(modified_at ?? created_at));
    item.iconPath = new vscode.ThemeIcon('json');
    const kind = this.parent.file === undefined ? 'example' : 'example.file';
    item.contextValue = this.asOf === undefined ? kind : 'exampleVersion';
    item.tooltip = joinParts(this.label, this.exampleId);
    item.accessibilityInformation = {
      label: joinParts(vscode.l10n.t('example {0}', this.label), item.description),
    };
    item.command = {
      command: 'agentHarbor.openExample',
      title: vscode.l10n.t('Open Example'),
      arguments: [this],
    };
    return item;
  }
}
