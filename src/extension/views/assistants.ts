import * as vscode from 'vscode';
import type { Assistant } from '../../contract/agent-server/assistants.ts';
import type { Deployments } from '../deployments/deployments.ts';
import { joined } from './format.ts';
import type { TreeElement, TreeSource } from './tree.ts';

interface FoundAssistant {
  readonly assistant_id: string;
  readonly graph_id: string;
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly metadata?: Assistant['metadata'] | undefined;
  readonly version?: number | undefined;
}

const most = 1000;

/** The assistants of the selected deployment, by graph. */
export class AssistantsSource implements TreeSource {
  readonly #deployments: Deployments;

  constructor(deployments: Deployments) {
    this.#deployments = deployments;
  }

  async roots(): Promise<readonly TreeElement[]> {
    const opened = await this.#deployments.opened();
    if (opened === undefined) return [];
    if (opened.live !== undefined && opened.live.runtime.state !== 'ready') return [];
    const found = await opened.client.assistants.search({
      body: {
        limit: most,
        sort_by: 'name',
        sort_order: 'asc',
        select: ['assistant_id', 'graph_id', 'name', 'description', 'metadata', 'version'],
      },
    });
    const assistants = found.flatMap(({ assistant_id, graph_id, ...rest }): FoundAssistant[] =>
      assistant_id === undefined || graph_id === undefined ? [] : [{ assistant_id, graph_id, ...rest }],
    );
    const byGraph = Map.groupBy(assistants, ({ graph_id }) => graph_id);
    return [...byGraph].map(([graphId, ofGraph]) => new AssistantGroup(graphId, ofGraph, opened.key));
  }
}

/** A graph, unfolding into its assistants. */
export class AssistantGroup implements TreeElement {
  readonly id: string;
  readonly graphId: string;
  /** The key of the deployment. */
  readonly deployment: string;
  readonly #assistants: readonly FoundAssistant[];

  constructor(graphId: string, assistants: readonly FoundAssistant[], deployment: string) {
    this.id = `assistants:${deployment}/${graphId}`;
    this.graphId = graphId;
    this.#assistants = assistants;
    this.deployment = deployment;
  }

  getTreeItem(): vscode.TreeItem {
    const item = new vscode.TreeItem(this.graphId, vscode.TreeItemCollapsibleState.Expanded);
    item.iconPath = new vscode.ThemeIcon('type-hierarchy-sub');
    item.contextValue = 'assistantGroup';
    return item;
  }

  async getChildren(): Promise<readonly TreeElement[]> {
    return this.#assistants.map((assistant) => new AssistantElement(assistant, this.deployment, this));
  }
}

export class AssistantElement implements TreeElement {
  readonly id: string;
  readonly parent: TreeElement;
  readonly assistant: FoundAssistant;
  /** The key of the deployment. */
  readonly deployment: string;

  constructor(assistant: FoundAssistant, deployment: string, parent: TreeElement) {
    this.assistant = assistant;
    this.deployment = deployment;
    this.parent = parent;
    this.id = `assistant:${assistant.assistant_id}`;
  }

  getTreeItem(): vscode.TreeItem {
    const { assistant_id, graph_id, name, description, metadata, version } = this.assistant;
    const isDefault = metadata?.created_by === 'system';
    const item = new vscode.TreeItem(name ?? graph_id);
    item.description = joined(
      isDefault ? vscode.l10n.t('default') : undefined,
      version === undefined ? undefined : vscode.l10n.t('version {0}', version),
    );
    item.iconPath = new vscode.ThemeIcon('hubot');
    item.contextValue = 'assistant';
    item.tooltip = joined(name, description ?? undefined, assistant_id);
    return item;
  }
}
