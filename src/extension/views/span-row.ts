import * as vscode from 'vscode';
import type { SpanOutcome } from '../../client/span-outcome.ts';
import type { RunRead } from '../../contract/tracing/runs.ts';

/** The fields of a trace or a run that its row shows. */
export interface SpanFields {
  readonly name?: string | undefined;
  readonly run_type?: string | undefined;
  readonly status?: string | undefined;
  readonly start_time?: string | undefined;
  readonly end_time?: string | null | undefined;
  readonly total_tokens?: number | null | undefined;
  readonly total_cost?: unknown;
  readonly error?: string | null | undefined;
}

/** The icon of a span. @param icon for a successful span */
export function iconOf(outcome: SpanOutcome, icon: string): vscode.ThemeIcon {
  switch (outcome) {
    case 'error':
      return new vscode.ThemeIcon('error', new vscode.ThemeColor('problemsErrorIcon.foreground'));
    case 'interrupted':
      return new vscode.ThemeIcon('debug-pause', new vscode.ThemeColor('problemsWarningIcon.foreground'));
    case 'cancelled':
      return new vscode.ThemeIcon('circle-slash', new vscode.ThemeColor('disabledForeground'));
    case 'pending':
      return new vscode.ThemeIcon('loading~spin');
    case 'success':
      return new vscode.ThemeIcon(icon);
  }
}

/** The number of tokens; undefined if there are none, or the number is unknown. */
export function tokensText({ total_tokens }: Pick<SpanFields, 'total_tokens'>): string | undefined {
  return total_tokens ? vscode.l10n.t('{0} tokens', total_tokens.toLocaleString()) : undefined;
}

/**
 * Feedback by key with the average of its scores, such as `helpful 1`; without a score, such as `💬 helpful`.
 */
export function feedbackText(stats: RunRead['feedback_stats']): string {
  return Object.entries(stats ?? {})
    .map(([key, stat]) => {
      const average = typeof stat === 'object' && stat !== null && 'avg' in stat ? stat.avg : undefined;
      return typeof average === 'number' ? `${key} ${Number(average.toFixed(2))}` : `💬 ${key}`;
    })
    .join(', ');
}
