import * as l10n from '@vscode/l10n';
import type { Priced } from '../../contract/tracing/priced.ts';
import { money } from '../../terms/money.ts';
import type { SpanNode } from './waterfall.ts';

/**
 * The cost of a span and those below it as text, with a note on model calls without a price; empty if there
 * is neither.
 */
export function spanCostText({
  cost,
  hasCost,
  unpriced,
}: Pick<SpanNode, 'cost' | 'hasCost' | 'unpriced'>): string {
  if (unpriced === 0) return hasCost ? money(cost) : '';
  if (!hasCost) return l10n.t('no price');
  return unpriced === 1
    ? l10n.t('{0} + 1 call without a price', money(cost))
    : l10n.t('{0} + {1} calls without a price', money(cost), unpriced);
}

/** A line for each item of a bill, such as `400 cache_read at $1.25 per 1M tokens: $0.0005`. */
export function billText(price: Priced | undefined): string | undefined {
  if (price === undefined) return undefined;
  const lines = price.items.map(({ kind, direction, count, price: each, cost }) => {
    const per = direction === undefined ? l10n.t('1,000') : l10n.t('1M tokens');
    return l10n.t('{0} {1} at {2} per {3}: {4}', count.toLocaleString(), kind, `$${each}`, per, money(cost));
  });
  return [...lines, l10n.t('Price of {0} from {1}', price.model, price.from)].join('\n');
}
