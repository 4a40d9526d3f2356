import { type Field, isSchema } from './field.ts';

/**
 * The values of a form: strings for texts and numbers, booleans, the index of a choice, and lists and dictionaries
 * of those. A string in place of a list or an object is JSON, as are unknown properties. A list in place of a
 * single value has the JSON of a value that its field cannot show. `undefined` is absent, `null` is null.
 */
export type Draft =
  | string
  | boolean
  | null
  | undefined
  | readonly Draft[]
  | { readonly [name: string]: Draft };

/** The draft of an empty form. */
export function emptyDraft(field: Field): Draft {
  if (field.initial !== undefined || field.kind !== 'object') return draftOf(field, field.initial);
  const initial = field.properties.filter(({ field: { initial } }) => initial !== undefined);
  return Object.fromEntries(initial.map(({ name, field: inner }) => [name, draftOf(inner, inner.initial)]));
}

/** The draft that yields a value, whether its field can show it or not. */
export function draftOf(field: Field, value: unknown): Draft {
  if (value === undefined) return undefined;
  if (field.kind === 'json') return jsonText(value);
  if (value === null) return null;
  switch (field.kind) {
    case 'text':
      return typeof value === 'string' ? value : [jsonText(value)];
    case 'number':
      return typeof value === 'number' ? String(value) : [jsonText(value)];
    case 'boolean':
      return typeof value === 'boolean' ? value : [jsonText(value)];
    case 'choice': {
      const index = field.choices.findIndex((choice) => choice.value === value);
      return index < 0 ? [jsonText(value)] : String(index);
    }
    case 'list':
      return Array.isArray(value) ? value.map((item: unknown) => draftOf(field.item, item)) : jsonText(value);
    case 'object': {
      if (!isSchema(value)) return jsonText(value);
      const fields = new Map(field.properties.map(({ name, field: inner }) => [name, inner]));
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => {
          const known = fields.get(name);
          return [name, known === undefined ? jsonText(inner) : draftOf(known, inner)];
        }),
      );
    }
  }
}

/** The draft to show: an absent field shows the value that it has then. */
export function shownDraft(field: Field, draft: Draft): Draft {
  return draft === undefined ? draftOf(field, field.initial) : draft;
}

/** The draft of one property; absent if the draft is not one of an object. */
export function draftAt(draft: Draft, name: string): Draft {
  return isDictionary(draft) && Object.hasOwn(draft, name) ? draft[name] : undefined;
}

/** The JSON of a value that a field for single values cannot show. */
export function heldText(draft: Draft): string | undefined {
  if (!isList(draft)) return undefined;
  const [text] = draft;
  return typeof text === 'string' ? text : undefined;
}

/** Whether nothing is filled in, at any depth. */
export function isBlank(draft: Draft): boolean {
  if (isDictionary(draft)) return Object.values(draft).every(isBlank);
  return draft === undefined;
}

export function isList(draft: Draft): draft is readonly Draft[] {
  return Array.isArray(draft);
}

export function isDictionary(draft: Draft): draft is { readonly [name: string]: Draft } {
  return typeof draft === 'object' && draft !== null && !isList(draft);
}

/** A stored draft, after validation. */
export function restoreDraft(value: unknown): Draft {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (Array.isArray(value)) return value.map(restoreDraft);
  if (typeof value !== 'object') return undefined;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, restoreDraft(inner)]));
}

function jsonText(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
