import * as vscode from 'vscode';
import type { ThreadSearch } from '../../contract/agent-server/threads.ts';
import type { Scalar } from '../../purge/scope.ts';
import { formatPairs } from './metadata-pairs.ts';
import { StoredSetting } from './stored-setting.ts';

export type ThreadSort = 'updated_at' | 'created_at' | 'state_updated_at' | 'thread_id';

/** How the Threads view is narrowed and sorted; kept with the workspace. */
export class ThreadOptions implements vscode.Disposable {
  readonly filter: StoredSetting<Readonly<Record<string, Scalar>>>;
  readonly sort: StoredSetting<ThreadSort>;

  constructor(memento: vscode.Memento) {
    this.filter = new StoredSetting(memento, 'threadFilter', {});
    this.sort = new StoredSetting<ThreadSort>(memento, 'threadSort', 'updated_at');
  }

  get onDidChange(): (listener: () => void) => vscode.Disposable {
    return (listener) =>
      vscode.Disposable.from(
        this.filter.onDidChange(() => listener()),
        this.sort.onDidChange(() => listener()),
      );
  }

  /** What a search and a count are narrowed by. */
  get where(): Pick<ThreadSearch, 'metadata'> {
    const { value } = this.filter;
    return Object.keys(value).length === 0 ? {} : { metadata: value };
  }

  get order(): Pick<ThreadSearch, 'sort_by' | 'sort_order'> {
    const { value } = this.sort;
    return { sort_by: value, sort_order: value === 'thread_id' ? 'asc' : 'desc' };
  }

  /** For the line above the rows. */
  get message(): string | undefined {
    const { value } = this.filter;
    if (Object.keys(value).length === 0) return undefined;
    return vscode.l10n.t('Filter: {0}', formatPairs(value));
  }

  /** For beside the title. */
  get description(): string | undefined {
    return this.sort.value === 'updated_at' ? undefined : sortLabel(this.sort.value);
  }

  dispose(): void {
    this.filter.dispose();
    this.sort.dispose();
  }
}

export const threadSorts: readonly ThreadSort[] = [
  'updated_at',
  'created_at',
  'state_updated_at',
  'thread_id',
];

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
