import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import type { Dataset } from '../../contract/datasets/datasets.ts';
import { dateOf } from '../../terms/times.ts';
import type { PlatformConnection } from '../connections/connection.ts';
import type { DatasetChoices } from '../datasets/dataset-choices.ts';
import { ago, formatExampleCount, joinParts, shortId } from '../wording/format.ts';
import { exampleTitle } from '../wording/input-title.ts';
import { MoreElement } from './more.ts';
import { NoteElement } from './note.ts';
import type { TreeElement } from './tree.ts';

/**
 * As in `src/evaluation/project-identity.ts`, which would be one more file to read when the extension starts.
 */
const FILE_KEY = 'agent_harbor_file';
/** How many examples a dataset shows at first, and how many more each time. */
const PAGE_SIZE = 50;
/** Platforms return at most this many examples at once. */
const MAX_PER_REQUEST = 100;
/** The split of examples without one. */
const DEFAULT_SPLIT = 'base';
/** The maximum number of datasets that are listed. */
const MAX_DATASETS = 100;

interface DatasetsParts {
  readonly connection: PlatformConnection;
  readonly client: Client;
  /** How many examples each dataset shows, by the ID of its row. */
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

/** The row with the datasets of a platform, below its projects; undefined if there are none. */
export async function readDatasets(parts: DatasetsParts): Promise<DatasetsElement | undefined> {
  const query = { sort_by: 'modified_at' as const, limit: MAX_DATASETS };
  // If datasets cannot be read, traces are still shown.
  const found = await parts.client.datasets.list({ query }).catch(() => []);
  return found.length === 0 ? undefined : new DatasetsElement(found, parts);
}

class DatasetsElement implements TreeElement {
  readonly id = 'datasets';
  readonly #datasets: readonly Dataset[];
  readonly #parts: DatasetsParts;

  constructor(datasets: readonly Dataset[], parts: DatasetsParts) {
    this.#datasets = datasets;
    this.#parts = parts;
  }

  getTreeItem(): vscode.TreeItem {
    const item = new vscode.TreeItem(vscode.l10n.t('Datasets'), vscode.TreeItemCollapsibleState.Collapsed);
    item.description = String(this.#datasets.length);
    item.iconPath = new vscode.ThemeIcon('library');
    item.contextValue = 'datasets';
    item.accessibilityInformation = { label: vscode.l10n.t('Datasets, {0}', this.#datasets.length) };
    return item;
  }

  async getChildren(): Promise<readonly TreeElement[]> {
    return this.#datasets.map((dataset) => new DatasetElement(dataset, this.#parts, this));
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
    const { asOf, split } = choices.of(this.dataset.id);
    const filter = { ...(asOf && { as_of: asOf }), ...(split && { splits: [split] }) };
    const wanted = shown.get(this.id) ?? PAGE_SIZE;
    const found: FoundExample[] = [];
    let isMore = true;
    while (isMore && found.length < wanted) {
      // One more than is shown is read, to find out whether there are more.
      const limit = Math.min(MAX_PER_REQUEST, wanted + 1 - found.length);
      const page = await client.examples.list({
        query: { ...filter, dataset: this.dataset.id, limit, offset: found.length },
      });
      found.push(...page);
      isMore = page.length === limit;
    }
    if (found.length === 0) return [new NoteElement(this, vscode.l10n.t('No examples.'))];
    // Without a selection of fields, the platform returns every example with its ID.
    const rows = found
      .slice(0, wanted)
      .flatMap((example) =>
        example.id === undefined ? [] : [new ExampleElement(example.id, example, this, asOf)],
      );
    if (found.length <= wanted) return rows;
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
