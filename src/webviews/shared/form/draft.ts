import { isDictionary } from '../../../terms/fields.ts';
import { parseJson } from '../json-input.ts';
import type { Field } from './field.ts';

/**
 * The contents of a field while it is filled in: text and numbers as strings, a choice as its position, lists and
 * objects as the drafts of their items and properties. `undefined` is absent, `null` is null.
 *
 * A draft also keeps values that its field cannot show, as JSON: for a list or an object as a string, for a single
 * value as a list with one string. The value of a property that the schema does not name is kept as a list of `true` and
 * its JSON. This tells it from a value that was typed into a field that the schema no longer has, which is not kept.
 */
export type Draft =
  | string
  | boolean
  | null
  | undefined
  | readonly Draft[]
  | { readonly [name: string]: Draft };

/** The draft of a field that the user has not filled in, with its initial values. */
export function emptyDraft(field: Field): Draft {
  if (field.initial !== undefined || field.kind !== 'object') return draftOf(field, field.initial);
  const initial = field.properties.filter(({ field: { initial } }) => initial !== undefined);
  return Object.fromEntries(initial.map(({ name, field: inner }) => [name, draftOf(inner, inner.initial)]));
}

/** The draft for a value, whether the field can show it or not. */
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
      if (!isDictionary(value)) return jsonText(value);
      const fields = new Map(field.properties.map(({ name, field: inner }) => [name, inner]));
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => {
          const known = fields.get(name);
          return [name, known === undefined ? [true, jsonText(inner)] : draftOf(known, inner)];
        }),
      );
    }
  }
}

/** The draft to show: an absent field shows its initial value. */
export function shownDraft(field: Field, draft: Draft): Draft {
  return draft === undefined ? draftOf(field, field.initial) : draft;
}

/**
 * The draft of a property; `undefined` if the property is absent, or the draft is not an object's. A value that was kept
 * from before the schema had the property gets the draft of its field.
 */
export function draftAt(draft: Draft, name: string, field: Field): Draft {
  const found = isObjectDraft(draft) && Object.hasOwn(draft, name) ? draft[name] : undefined;
  const kept = keptValue(found);
  return kept === undefined ? found : draftOf(field, kept.value);
}

/** The value of a property that the schema did not name; `undefined` for other drafts. */
export function keptValue(draft: Draft): { readonly value: unknown } | undefined {
  if (!isListDraft(draft)) return undefined;
  const [mark, text] = draft;
  if (mark !== true || typeof text !== 'string') return undefined;
  const parsed = parseJson(text);
  return 'value' in parsed ? parsed : undefined;
}

/** The JSON of a single value that its field cannot show; `undefined` for other drafts. */
export function rawJson(draft: Draft): string | undefined {
  if (!isListDraft(draft)) return undefined;
  const [text] = draft;
  return typeof text === 'string' ? text : undefined;
}

/** Whether nothing is filled in, at any depth. */
export function isBlank(draft: Draft): boolean {
  if (isObjectDraft(draft)) return Object.values(draft).every(isBlank);
  return draft === undefined;
}

export function isListDraft(draft: Draft): draft is readonly Draft[] {
  return Array.isArray(draft);
}

export function isObjectDraft(draft: Draft): draft is { readonly [name: string]: Draft } {
  return typeof draft === 'object' && draft !== null && !isListDraft(draft);
}

/** Reads a draft that was stored as JSON. */
export function restoreDraft(value: unknown): Draft {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (Array.isArray(value)) return value.map(restoreDraft);
  if (typeof value !== 'object') return undefined;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, restoreDraft(inner)]));
}

function jsonText(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
