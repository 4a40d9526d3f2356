import * as l10n from '@vscode/l10n';
import { parseJson } from '../../shared/json-input.ts';
import { isDictionary } from '../messages.ts';

/**
 * What a person has changed in a state: whole properties, as reducers take them. A property that is gone is written as
 * null, since a state cannot lose one.
 */
export function changedValues(
  before: unknown,
  text: string,
): { readonly values: Record<string, unknown> } | { readonly problem: string } {
  const read = parseJson(text);
  if ('problem' in read) return read;
  if (!isDictionary(read.value))
    return { problem: l10n.t('A state is a JSON object, such as {"topic": "tides"}.') };
  const after = read.value;
  const known = isDictionary(before) ? before : {};
  const changed = Object.entries(after).filter(
    ([name, value]) => !Object.hasOwn(known, name) || JSON.stringify(known[name]) !== JSON.stringify(value),
  );
  const gone = Object.keys(known).filter((name) => !Object.hasOwn(after, name));
  if (changed.length + gone.length === 0) return { problem: l10n.t('Nothing has been changed yet.') };
  return { values: Object.fromEntries([...changed, ...gone.map((name) => [name, null] as const)]) };
}
