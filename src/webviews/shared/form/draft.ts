import { type Field, isSchema } from './field.ts';

/**
 * The values of a form: strings for strings, numbers and JSON, booleans, the chosen place of a choice, and
 * lists and dictionaries of those. `undefined` is an untouched field without a default.
 */
export type Draft = string | boolean | undefined | readonly Draft[] | { readonly [name: string]: Draft };

/** The draft for a value: what the schema says to begin with, or what was given as JSON before. */
export function draftOf(field: Field, value: unknown = field.initial): Draft {
  switch (field.kind) {
    case 'text':
      return value === undefined || value === null
        ? ''
        : typeof value === 'string'
          ? value
          : JSON.stringify(value);
    case 'number':
      return typeof value === 'number' ? String(value) : '';
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'choice': {
      const index = field.choices.findIndex((choice) => choice.value === value);
      return index < 0 ? '' : String(index);
    }
    case 'list': {
      const items = Array.isArray(value) ? value : Array.from({ length: field.min ?? 0 }, () => undefined);
      return items.map((item: unknown) => draftOf(field.item, item ?? field.item.initial));
    }
    case 'object': {
      const known = isSchema(value) ? value : {};
      return Object.fromEntries(
        field.properties.map(({ name, field: inner }) => [
          name,
          draftOf(inner, known[name] ?? inner.initial),
        ]),
      );
    }
    case 'json':
      return value === undefined || value === null ? '' : JSON.stringify(value, undefined, 2);
  }
}

export function isList(draft: Draft): draft is readonly Draft[] {
  return Array.isArray(draft);
}

export function isDictionary(draft: Draft): draft is { readonly [name: string]: Draft } {
  return typeof draft === 'object' && !isList(draft);
}

/** A draft as it was kept, checked to be one. */
export function restoreDraft(value: unknown): Draft {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(restoreDraft);
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, restoreDraft(inner)]));
}
