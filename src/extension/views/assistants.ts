import * as vscode from 'vscode';
import type { Assistant } from '../../contract/agent-server/assistants.ts';
import { dateOf } from '../../terms/times.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';
import { ago, joinParts } from '../wording/format.ts';
import { runRow } from './run-row.ts';
import type { TreeElement, TreeSource } from './tree.ts';

/** The fields of an assistant in a search. */
interface FoundAssistant {
  readonly assistant_id: string;
  readonly graph_id: string;
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly metadata?: Assistant['metadata'] | undefined;
  readonly version?: number | undefined;
}

/** The maximum number of assistants, and of versions of one, that are read. */
const MAX_RESULTS = 1000;
/** More graphs than this are collapsed, to keep the view short. */
const MAX_UNFOLDED = 10;

/** The assistants of the selected deployment, by graph. */
export class AssistantsSource implements TreeSource {
  readonly #deployments: Deployments;
  /** The label of the deployment. */
  description: string | undefined;
  /** The rows that were read last, and the key of their deployment. */
  #shown: { readonly key: string; readonly rows: readonly TreeElement[] } | undefined;

  constructor(deployments: Deployments) {
    this.#deployments = deployments;
  }

  async roots(): Promise<readonly TreeElement[]> {
    this.description = await this.#deployments.currentText();
    const opened = await this.#deployments.findOpen();
    if (opened === undefined) return [];
    const { key, live } = opened;
    // During a reload the previous assistants are shown.
    if (live?.runtime.state === 'starting' && this.#shown?.key === key) return this.#shown.rows;
    if (live !== undefined && live.runtime.state !== 'ready') return [];
    const graphs = live?.runtime.state === 'ready' ? live.runtime.graphs : [];
    const found = await opened.client.assistants.search({
      body: {
        limit: MAX_RESULTS,
        sort_by: 'name',
        sort_order: 'asc',
        select: ['assistant_id', 'graph_id', 'name', 'description', 'metadata', 'version'],
      },
    });
    const assistants = found.flatMap(({ assistant_id, graph_id, ...rest }): FoundAssistant[] =>
      assistant_id === undefined || graph_id === undefined ? [] : [{ assistant_id, graph_id, ...rest }],
    );
    const byGraph = [...Map.groupBy(assistants, ({ graph_id }) => graph_id)].sort(
      byPlaceIn(graphs.map(({ graph_id }) => graph_id)),
    );
    const isFolded = byGraph.length > MAX_UNFOLDED;
    const rows = byGraph.map(([graphId, ofGraph]) => {
      const [only, ...others] = ofGraph;
      const isAlone = only !== undefined && others.length === 0 && isDefault(only);
      // A graph with only its default assistant is shown as that assistant.
      return isAlone
        ? new AssistantElement(only, opened)
        : new AssistantGroup(graphId, ofGraph, opened, isFolded);
    });
    this.#shown = { key, rows };
    return rows;
  }
}

/** Whether it is the default assistant of its graph, which the server creates again if it is deleted. */
function isDefault({ metadata }: FoundAssistant): boolean {
  return metadata?.created_by === 'system';
}

/**
 * Returns a function that compares entries by the place of their graph in this order. Graphs that the order
 * lacks come last, in their previous order.
 */
function byPlaceIn(order: readonly string[]) {
  const place = new Map(order.map((graphId, index) => [graphId, index]));
  const placeOf = (graphId: string) => place.get(graphId) ?? order.length;
  return ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => placeOf(a) - placeOf(b);
}

/** A graph, which expands into its assistants. */
export class AssistantGroup implements TreeElement {
  readonly id: string;
  readonly graphId: string;
  readonly opened: OpenDeployment;
  readonly #assistants: readonly FoundAssistant[];
  readonly #isFolded: boolean;

  constructor(
    graphId: string,
    assistants: readonly FoundAssistant[],
    opened: OpenDeployment,
    isFolded: boolean,
  ) {
    this.#isFolded = isFolded;
    this.id = `assistants:${opened.key}/${graphId}`;
    this.graphId = graphId;
    this.#assistants = assistants;
    this.opened = opened;
  }

  /** The key of the deployment. */
  get deployment(): string {
    return this.opened.key;
  }

  getTreeItem(): vscode.TreeItem {
    const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(this.graphId, this.#isFolded ? Collapsed : Expanded);
    item.iconPath = new vscode.ThemeIcon('type-hierarchy-sub');
    item.contextValue = 'assistantGroup';
    item.accessibilityInformation = { label: vscode.l10n.t('graph {0}', this.graphId) };
    item.command = runRow(this);
    return item;
  }

  async getChildren(): Promise<readonly TreeElement[]> {
    return this.#assistants.map((assistant) => new AssistantElement(assistant, this.opened, this));
  }
}

/** An assistant, which expands into its versions. */
export class AssistantElement implements TreeElement {
  readonly id: string;
  /** The group of its graph, if it is in one. */
  readonly parent: TreeElement | undefined;
  readonly assistant: FoundAssistant;
  readonly opened: OpenDeployment;

  constructor(assistant: FoundAssistant, opened: OpenDeployment, parent?: TreeElement) {
    this.assistant = assistant;
    this.opened = opened;
    this.parent = parent;
    this.id = `assistant:${assistant.assistant_id}`;
  }

  /** The key of the deployment. */
  get deployment(): string {
    return this.opened.key;
  }

  get graphId(): string {
    return this.assistant.graph_id;
  }

  get isDefault(): boolean {
    return isDefault(this.assistant);
  }

  get label(): string {
    return this.assistant.name ?? this.assistant.graph_id;
  }

  /** Whether its graph is known to have failed to load, so that it cannot be run. */
  get #hasFailed(): boolean {
    const runtime = this.opened.live?.runtime;
    if (runtime?.state !== 'ready') return false;
    const graph = runtime.graphs.find(({ graph_id }) => graph_id === this.assistant.graph_id);
    return graph?.status === 'failed';
  }

  getTreeItem(): vscode.TreeItem {
    const { isDefault } = this;
    const { assistant_id, description, version } = this.assistant;
    const item = new vscode.TreeItem(this.label, vscode.TreeItemCollapsibleState.Collapsed);
    item.description = joinParts(
      this.#hasFailed ? vscode.l10n.t('graph failed to load') : undefined,
      isDefault ? vscode.l10n.t('default') : undefined,
      version === undefined ? undefined : vscode.l10n.t('version {0}', version),
    );
    item.iconPath = this.#hasFailed
      ? new vscode.ThemeIcon('warning', new vscode.ThemeColor('problemsWarningIcon.foreground'))
      : new vscode.ThemeIcon('hubot');
    item.contextValue = isDefault ? 'defaultAssistant' : 'assistant';
    item.tooltip = joinParts(this.label, description ?? undefined, assistant_id);
    item.accessibilityInformation = {
      label: joinParts(vscode.l10n.t('assistant {0}', this.label), item.description),
    };
    item.command = runRow(this);
    return item;
  }

  async getChildren(): Promise<readonly TreeElement[]> {
    const { assistant_id, version: active } = this.assistant;
    const versions = await this.opened.client.assistants.versions({
      params: { assistant_id },
      body: { limit: MAX_RESULTS },
    });
    return versions.map((version) => new VersionElement(version, version.version === active, this));
  }
}

/** A version of an assistant. */
export class VersionElement implements TreeElement {
  readonly id: string;
  readonly parent: AssistantElement;
  readonly version: Assistant;
  readonly #isActive: boolean;

  constructor(version: Assistant, isActive: boolean, parent: AssistantElement) {
    this.version = version;
    this.#isActive = isActive;
    this.parent = parent;
    this.id = `${parent.id}/version:${version.version}`;
  }

  getTreeItem(): vscode.TreeItem {
    const { version, name, created_at } = this.version;
    const item = new vscode.TreeItem(vscode.l10n.t('Version {0}', version));
    item.description = joinParts(
      this.#isActive ? vscode.l10n.t('active') : undefined,
      name === this.parent.label ? undefined : name,
      ago(created_at),
    );
    item.iconPath = this.#isActive
      ? new vscode.ThemeIcon('pass-filled', new vscode.ThemeColor('testing.iconPassed'))
      : new vscode.ThemeIcon('circle-outline');
    item.contextValue = this.#isActive ? 'activeVersion' : 'assistantVersion';
    item.tooltip = joinParts(name, dateOf(created_at)?.toLocaleString());
    item.accessibilityInformation = { label: joinParts(String(item.label), item.description) };
    item.command = {
      command: 'agentHarbor.openVersion',
      title: vscode.l10n.t('Open Version'),
      arguments: [this],
    };
    return item;
  }
}
