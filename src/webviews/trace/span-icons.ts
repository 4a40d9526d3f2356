import * as l10n from '@vscode/l10n';
import type { SpanStatus } from '../../extension/panels/trace/messages.ts';

/** The icon of a status, and its name. */
export function statusIcon(status: SpanStatus): { readonly icon: string; readonly text: string } {
  switch (status) {
    case 'pending':
      return { icon: 'loading', text: l10n.t('Running') };
    case 'success':
      return { icon: 'check', text: l10n.t('Done') };
    case 'error':
      return { icon: 'error', text: l10n.t('Failed') };
    case 'interrupted':
      return { icon: 'debug-pause', text: l10n.t('Waiting for input') };
    case 'paused':
      return { icon: 'debug-pause', text: l10n.t('Paused') };
    case 'cancelled':
      return { icon: 'circle-slash', text: l10n.t('Canceled') };
  }
}

const TYPES_WITH_COLOR = ['llm', 'tool', 'retriever', 'embedding', 'prompt', 'parser'] as const;

/** The CSS class for the color of a span's type; `chain` for types without a color. */
export function typeClass(type: string): (typeof TYPES_WITH_COLOR)[number] | 'chain' {
  return TYPES_WITH_COLOR.find((one) => one === type) ?? 'chain';
}
