import * as vscode from 'vscode';
import type { ThreadSearch } from '../../contract/agent-server/threads.ts';
import type { Scalar } from '../../purge/scope.ts';
import { formatPairs } from '../wording/metadata-pairs.ts';
import { StoredSetting } from './stored-setting.ts';

/** A list of threads takes at most this many IDs, and a search returns at most this many threads. */
export const MAX_THREADS = 1000;

/** The filter of the view: threads with some metadata, or specific threads. */
export interface ThreadFilter {
  /** The words by which the threads were found. If absent, `ids` are the threads of purged traces. */
  readonly text?: string;
  readonly metadata?: Readonly<Record<string, Scalar>>;
  readonly ids?: readonly string[];
}

type ThreadSort = 'updated_at' | 'created_at' | 'state_updated_at' | 'thread_id';

/** The filter and the order of the Threads view, stored per open folder or workspace file. */
export class ThreadOptions implements vscode.Disposable {
  readonly filter: StoredSetting<ThreadFilter>;
  readonly sort: StoredSetting<ThreadSort>;

  constructor(memento: vscode.Memento) {
    this.filter = new StoredSetting<ThreadFilter>(memento, 'threadFilter', {});
    this.sort = new StoredSetting<ThreadSort>(memento, 'threadSort', 'updated_at');
  }

  get onDidChange(): (listener: () => void) => vscode.Disposable {
    return (listener) =>
      vscode.Disposable.from(
        this.filter.onDidChange(() => listener()),
        this.sort.onDidChange(() => listener()),
      );
  }

  /** The filter as the fields of a search. */
  get where(): Pick<ThreadSearch, 'metadata' | 'ids'> {
    const { metadata, ids } = this.filter.value;
    return { ...(metadata && { metadata }), ...(ids && { ids: [...ids] }) };
  }

  get order(): Pick<ThreadSearch, 'sort_by' | 'sort_order'> {
    const { value } = this.sort;
    return { sort_by: value, sort_order: value === 'thread_id' ? 'asc' : 'desc' };
  }

  /** The text above the rows. */
  get message(): string | undefined {
    const { metadata, ids, text } = this.filter.value;
    if (text !== undefined) return vscode.l10n.t('Filter: {0}', `“${text}”`);
    if (ids !== undefined) return vscode.l10n.t('Filter: {0}', vscode.l10n.t('threads of purged traces'));
    return metadata && vscode.l10n.t('Filter: {0}', formatPairs(metadata));
  }

  /** The text beside the title of the view. */
  get description(): string | undefined {
    return this.sort.value === 'updated_at' ? undefined : sortLabel(this.sort.value);
  }

  dispose(): void {
    this.filter.dispose();
    this.sort.dispose();
  }
}

/** The orders to choose from, as they are offered. */
export const THREAD_SORTS: readonly ThreadSort[] = [
  'updated_at',
  'created_at',
  'state_updated_at',
  'thread_id',
];

/** The name of an order for a person. */
export function sortLabel(sort: ThreadSort): string {
  switch (sort) {
    case 'updated_at':
      return vscode.l10n.t('Last Updated');
    case 'created_at':
      return vscode.l10n.t('Created');
    case 'state_updated_at':
      return vscode.l10n.t('Last Run');
    case 'thread_id':
      return vscode.l10n.t('ID');
  }
}
