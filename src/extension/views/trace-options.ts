import * as vscode from 'vscode';
import { joinParts } from '../wording/format.ts';
import { formatPairs } from '../wording/metadata-pairs.ts';
import { StoredSetting } from './stored-setting.ts';
import { isEmpty, type TraceFilter } from './trace-filter.ts';

/** The filter of the Traces view, stored per open folder or workspace file. */
export class TraceOptions implements vscode.Disposable {
  readonly filter: StoredSetting<TraceFilter>;

  constructor(memento: vscode.Memento) {
    this.filter = new StoredSetting<TraceFilter>(memento, 'traceFilter', {});
  }

  /** Changes the given conditions of the filter; undefined removes a condition. */
  async narrow(part: TraceFilter): Promise<void> {
    const filter = { ...this.filter.value, ...part };
    if (isEmpty(filter)) await this.filter.clear();
    else await this.filter.set(filter);
  }

  /** The filter in words, shown above the rows. */
  get message(): string | undefined {
    const text = describeFilter(this.filter.value);
    return text === '' ? undefined : vscode.l10n.t('Filter: {0}', text);
  }

  dispose(): void {
    this.filter.dispose();
  }
}

/** A filter in words. */
export function describeFilter(filter: TraceFilter): string {
  const { text, status, name, metadata, slowerThanSeconds, feedback } = filter;
  return joinParts(
    text && `“${text}”`,
    status && vscode.l10n.t('status {0}', status),
    name && vscode.l10n.t('name {0}', name),
    metadata && formatPairs(metadata),
    slowerThanSeconds ? vscode.l10n.t('more than {0} s', slowerThanSeconds) : undefined,
    feedback && describeFeedback(feedback),
  );
}

function describeFeedback({ key, score }: NonNullable<TraceFilter['feedback']>): string {
  if (score === 'good') return vscode.l10n.t('{0}: good', key);
  if (score === 'bad') return vscode.l10n.t('{0}: bad', key);
  return vscode.l10n.t('{0}: any score', key);
}
