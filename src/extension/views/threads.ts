import * as vscode from 'vscode';
import type { Thread, ThreadState, ThreadStatus } from '../../contract/agent-server/threads.ts';
import { dateOf } from '../../terms/times.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';
import { checkpointIdOf } from '../states/checkpoint-ids.ts';
import type { HistoryEntry } from '../states/thread-history.ts';
import { ago, joinParts, shortId } from '../wording/format.ts';
import { inputTitle, threadTitle } from '../wording/titles.ts';
import { MoreElement } from './more.ts';
import { MAX_THREADS, type ThreadOptions } from './thread-options.ts';
import { ThreadTitles } from './thread-titles.ts';
import type { TreeElement, TreeSource } from './tree.ts';

/** How many threads a group shows at first. */
const PAGE_SIZE = 50;
/** How many states a thread shows at first, its newest ones, and how many more each time. */
const STATES_SIZE = 100;
/** Servers return at most this many states. */
const MAX_STATES = 1000;

/** The order of the groups: interrupted threads come first. */
const STATUS_ORDER: readonly ThreadStatus[] = ['interrupted', 'busy', 'error', 'idle'];

/** The threads of the selected deployment by status, and the states of each. */
export class ThreadsSource implements TreeSource {
  readonly #deployments: Deployments;
  readonly #options: ThreadOptions;
  /** Whether no thread matches the filter. */
  #isEmpty = false;
  /** How many threads are waiting for a person. */
  #waiting = 0;
  /** The label of the deployment. */
  #deployment: string | undefined;
  /** How many rows each group and each thread shows, by its ID. */
  readonly #shown = new Map<string, number>();
  readonly #titles = new ThreadTitles();

  constructor(deployments: Deployments, options: ThreadOptions) {
    this.#deployments = deployments;
    this.#options = options;
  }

  /**
   * The filter, unless the tree is empty: a message would hide VS Code's welcome view, which says how to see
   * more.
   */
  get message(): string | undefined {
    return this.#isEmpty ? undefined : this.#options.message;
  }

  /** The number of threads that are waiting for a person, if there are any. */
  get badge(): vscode.ViewBadge | undefined {
    const value = this.#waiting;
    if (value === 0) return undefined;
    const tooltip =
      value === 1 ? vscode.l10n.t('1 thread is waiting') : vscode.l10n.t('{0} threads are waiting', value);
    return { value, tooltip };
  }

  get description(): string | undefined {
    return joinParts(this.#deployment, this.#options.description);
  }

  async roots(): Promise<readonly TreeElement[]> {
    this.#deployment = await this.#deployments.currentText();
    const opened = await this.#deployments.findOpen();
    this.#isEmpty = false;
    this.#waiting = 0;
    if (opened === undefined) return [];
    const counts = await this.#readCounts(opened);
    this.#isEmpty = counts.every(({ count }) => count === 0);
    this.#waiting = counts.find(({ status }) => status === 'interrupted')?.count ?? 0;
    return counts
      .filter(({ count }) => count > 0)
      .map(
        ({ status, count }) =>
          new ThreadGroup({ status, count, opened, titles: this.#titles }, this.#options, this.#shown),
      );
  }

  /** How many threads have each status. */
  async #readCounts({ client: { threads } }: OpenDeployment) {
    const { metadata, ids } = this.#options.filter.value;
    if (ids === undefined) {
      const count = (status: ThreadStatus) =>
        threads.count({ body: { status, ...(metadata && { metadata }) } });
      return Promise.all(STATUS_ORDER.map(async (status) => ({ status, count: await count(status) })));
    }
    // Counting does not support IDs.
    const found = await threads.search({
      body: { ids: [...ids], limit: MAX_THREADS, select: ['thread_id', 'status'] },
    });
    return STATUS_ORDER.map((status) => ({
      status,
      count: found.filter((thread) => thread.status === status).length,
    }));
  }
}

/** The name and the icon of a status. */
interface StatusLook {
  readonly label: string;
  readonly icon: vscode.ThemeIcon;
}

function lookOf(status: ThreadStatus): StatusLook {
  switch (status) {
    case 'interrupted': {
      const color = new vscode.ThemeColor('problemsWarningIcon.foreground');
      return { label: vscode.l10n.t('Waiting'), icon: new vscode.ThemeIcon('debug-pause', color) };
    }
    case 'busy':
      return { label: vscode.l10n.t('Running'), icon: new vscode.ThemeIcon('loading~spin') };
    case 'error': {
      const color = new vscode.ThemeColor('problemsErrorIcon.foreground');
      return { label: vscode.l10n.t('Failed'), icon: new vscode.ThemeIcon('error', color) };
    }
    case 'idle':
      return { label: vscode.l10n.t('Idle'), icon: new vscode.ThemeIcon('comment') };
  }
}

/** The threads with a status. */
interface Group {
  readonly status: ThreadStatus;
  readonly count: number;
  readonly opened: OpenDeployment;
  readonly titles: ThreadTitles;
}

/** A status, which expands into its threads. */
class ThreadGroup implements TreeElement {
  readonly id: string;
  readonly #group: Group;
  readonly #options: ThreadOptions;
  readonly #shown: Map<string, number>;

  constructor(group: Group, options: ThreadOptions, shown: Map<string, number>) {
    this.id = `threads:${group.status}`;
    this.#group = group;
    this.#options = options;
    this.#shown = shown;
  }

  getTreeItem(): vscode.TreeItem {
    const { status, count } = this.#group;
    const { label } = lookOf(status);
    const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Expanded);
    item.description = count.toLocaleString();
    item.contextValue = 'threadGroup';
    item.accessibilityInformation = { label: vscode.l10n.t('{0}, {1} threads', label, count) };
    return item;
  }

  async getChildren(): Promise<readonly TreeElement[]> {
    const { status, count, opened, titles } = this.#group;
    const limit = Math.min(this.#shown.get(this.id) ?? PAGE_SIZE, MAX_THREADS);
    const found = await opened.client.threads.search({
      body: {
        status,
        limit,
        ...this.#options.where,
        ...this.#options.order,
        select: ['thread_id', 'status', 'created_at', 'updated_at', 'metadata', 'interrupts'],
        extract: { title: 'values.messages[0].content' },
      },
    });
    const known = found.flatMap(({ thread_id, ...thread }) =>
      thread_id === undefined ? [] : [{ ...thread, thread_id }],
    );
    const unnamed = known.filter((thread) => threadTitle(thread) === undefined);
    const first = await titles.read(
      opened.client,
      unnamed.map(({ thread_id }) => thread_id),
    );
    const threads = known.map(
      (thread) =>
        new ThreadElement({ ...thread, first_input: first.get(thread.thread_id) }, opened, this, this.#shown),
    );
    if (threads.length < limit || threads.length >= count || limit === MAX_THREADS) return threads;
    const more = () => this.#shown.set(this.id, limit * 2);
    return [...threads, new MoreElement(this, count - threads.length, more)];
  }
}

/** The fields of a thread in a search. */
export interface FoundThread {
  readonly thread_id: string;
  readonly status?: ThreadStatus | undefined;
  readonly updated_at?: string | undefined;
  readonly metadata?: Thread['metadata'] | undefined;
  readonly interrupts?: Thread['interrupts'] | undefined;
  readonly extracted?: unknown;
  /** The words of its first run's input, read if it has no other title. */
  readonly first_input?: string | undefined;
}

/** A thread, which expands into its states. */
export class ThreadElement implements TreeElement {
  readonly id: string;
  readonly parent: TreeElement;
  readonly thread: FoundThread;
  readonly opened: OpenDeployment;
  readonly #shown: Map<string, number>;

  /** @param shown how many states each thread shows, by the ID of its row */
  constructor(thread: FoundThread, opened: OpenDeployment, parent: TreeElement, shown: Map<string, number>) {
    this.thread = thread;
    this.opened = opened;
    this.parent = parent;
    this.#shown = shown;
    this.id = `thread:${thread.thread_id}`;
  }

  get label(): string {
    const { thread_id, first_input } = this.thread;
    return threadTitle(this.thread) ?? first_input ?? this.#graph ?? shortId(thread_id);
  }

  get #graph(): string | undefined {
    const graph = this.thread.metadata?.graph_id;
    return typeof graph === 'string' ? graph : undefined;
  }

  /**
   * The owner, if the project's authentication stores it as `owner` in the thread's metadata, as is usual.
   */
  get #owner(): string | undefined {
    const owner = this.thread.metadata?.owner;
    return typeof owner === 'string' && owner !== '' ? vscode.l10n.t('owned by {0}', owner) : undefined;
  }

  getTreeItem(): vscode.TreeItem {
    const { thread_id, status = 'idle', updated_at } = this.thread;
    const graph = this.#graph;
    const state = stateOf(this.thread);
    const item = new vscode.TreeItem(this.label, vscode.TreeItemCollapsibleState.Collapsed);
    // A thread that has only the name of its graph is distinguished by its ID.
    const other = this.label === graph ? shortId(thread_id) : graph;
    const updated = ago(updated_at);
    item.description = joinParts(other, status === 'interrupted' ? state : undefined, updated);
    item.iconPath = lookOf(status).icon;
    item.contextValue = status === 'error' || status === 'interrupted' ? 'thread.stopped' : 'thread';
    item.tooltip = joinParts(this.label, graph, state, this.#owner, thread_id);
    item.accessibilityInformation = {
      label: joinParts(vscode.l10n.t('thread {0}', this.label), state, other, updated),
    };
    item.command = {
      command: 'agentHarbor.openThread',
      title: vscode.l10n.t('Open Thread'),
      arguments: [this],
    };
    return item;
  }

  async getChildren(): Promise<readonly TreeElement[]> {
    const { thread_id } = this.thread;
    const wanted = this.#shown.get(this.id) ?? STATES_SIZE;
    const history = await this.opened.client.threads.history({
      params: { thread_id },
      // The nodes that wrote the last one are known from the one before it.
      body: { limit: Math.min(MAX_STATES, wanted + 1) },
    });
    const { entriesOf } = await import('../states/thread-history.ts');
    const entries = new Map(entriesOf(history).map((entry) => [entry.checkpoint_id, entry]));
    const states = history
      .slice(0, wanted)
      .map((state) => new CheckpointElement(state, entries.get(checkpointIdOf(state) ?? ''), this));
    if (history.length <= wanted) return states;
    return [
      ...states,
      new MoreElement(this, undefined, () => this.#shown.set(this.id, wanted + STATES_SIZE)),
    ];
  }
}

/**
 * The state of a thread in words. Its status does not distinguish a breakpoint from an interrupt that asks
 * for input.
 */
function stateOf({ status = 'idle', interrupts }: FoundThread): string {
  if (status !== 'interrupted' || interrupts == null) return lookOf(status).label;
  const asks = Object.values(interrupts).some((asked) => Array.isArray(asked) && asked.length > 0);
  return asks ? vscode.l10n.t('Waiting for input') : vscode.l10n.t('Paused');
}

/** A state of a thread's history. */
export class CheckpointElement implements TreeElement {
  readonly id: string;
  readonly parent: ThreadElement;
  readonly state: ThreadState;
  readonly #entry: HistoryEntry | undefined;

  constructor(state: ThreadState, entry: HistoryEntry | undefined, parent: ThreadElement) {
    this.state = state;
    this.parent = parent;
    this.#entry = entry;
    this.id = `${parent.id}/checkpoint:${this.checkpointId ?? state.created_at}`;
  }

  get checkpointId(): string | undefined {
    return checkpointIdOf(this.state);
  }

  /** The source of the state: an input, the nodes that wrote it, or an update. */
  get label(): string {
    const { source, message, nodes = [] } = this.#entry ?? {};
    switch (source) {
      case 'input':
        return inputTitle(message) ?? vscode.l10n.t('input');
      case 'update':
        return vscode.l10n.t('update');
      case 'fork':
        return vscode.l10n.t('fork');
      default:
        return nodes.length > 0 ? nodes.join(', ') : vscode.l10n.t('start');
    }
  }

  get step(): number | undefined {
    const step = this.state.metadata?.step;
    return typeof step === 'number' ? step : undefined;
  }

  getTreeItem(): vscode.TreeItem {
    const { created_at } = this.state;
    const next = this.state.next.filter((node) => node !== '__start__');
    const { step } = this;
    const item = new vscode.TreeItem(this.label);
    item.description = joinParts(
      // An input is not a step of the graph.
      step === undefined || step < 0 ? undefined : vscode.l10n.t('step {0}', step),
      next.length > 0 ? vscode.l10n.t('next: {0}', next.join(', ')) : undefined,
    );
    item.iconPath = new vscode.ThemeIcon(iconOf(this.#entry));
    item.contextValue = 'checkpoint';
    item.tooltip = joinParts(dateOf(created_at)?.toLocaleString(), this.checkpointId);
    item.accessibilityInformation = {
      label: joinParts(vscode.l10n.t('state after {0}', String(item.label)), item.description),
    };
    item.command = {
      command: 'agentHarbor.openState',
      title: vscode.l10n.t('Open State'),
      arguments: [this],
    };
    return item;
  }
}

function iconOf(entry: HistoryEntry | undefined): string {
  if (entry?.waits) return 'debug-pause';
  return entry?.source === 'input' ? 'comment' : 'git-commit';
}
