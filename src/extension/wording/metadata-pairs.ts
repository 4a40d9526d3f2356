import * as l10n from '@vscode/l10n';
import type { Scalar } from '../../purge/scope.ts';

/**
 * Reads pairs as people type them: `user=u1 tier=2 name="Ada L."`. Numbers, `true` and `false` keep their
 * types; in quotes they are text.
 * @throws Error with a sentence that shows the part that is not a pair, or the key that is repeated.
 */
export function parsePairs(text: string): Record<string, Scalar> {
  const pairs = new Map<string, Scalar>();
  const pattern = /\s*,?\s*([^\s=,"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))(?=[\s,]|$)/y;
  let end = 0;
  while (end < text.trimEnd().length) {
    pattern.lastIndex = end;
    const match = pattern.exec(text);
    if (match === null) {
      throw new Error(
        l10n.t(
          '“{0}” is not a pair. Enter key=value, with "quotes" around values with spaces.',
          text.slice(end).trim(),
        ),
      );
    }
    const [, name = '', quoted, bare = ''] = match;
    if (pairs.has(name)) throw new Error(l10n.t('“{0}” is there twice. Enter each key once.', name));
    pairs.set(name, quoted === undefined ? scalarOf(bare) : quoted.replace(/\\(.)/g, '$1'));
    end = pattern.lastIndex;
  }
  return Object.fromEntries(pairs);
}

/** Formats pairs as text that {@link parsePairs} reads. */
export function formatPairs(pairs: Readonly<Record<string, Scalar>>): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name}=${formatValue(value)}`)
    .join(' ');
}

function scalarOf(text: string): Scalar {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) && String(Number(text)) === text ? Number(text) : text;
}

function formatValue(value: Scalar): string {
  if (typeof value !== 'string') return String(value);
  const isPlain = /^[^\s",=\\]+$/.test(value) && typeof scalarOf(value) === 'string';
  return isPlain ? value : `"${value.replace(/["\\]/g, '\\$&')}"`;
}
