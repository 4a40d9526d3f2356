import type { z } from 'zod';
import type { JsonObject } from '../contract/fields.ts';

type Fields = z.output<typeof JsonObject>;

/** An example that is read from a file or written to one. */
export interface FileExample {
  readonly id?: string;
  readonly inputs: Fields;
  readonly outputs: Fields | null;
  readonly metadata: Fields | null;
  readonly split?: string | string[];
}

/**
 * Returns the fields that an import kept in the metadata for the export, because examples have no such
 * fields.
 * @param key the name of the format, under which the fields are kept
 */
export function ownFields(metadata: Fields | null | undefined, key: string): Fields {
  const own = metadata?.[key];
  return typeof own === 'object' && own !== null ? { ...own } : {};
}

/** @returns the metadata without the fields that `ownFields` returns; undefined when no others are left */
export function withoutOwn(metadata: Fields | null | undefined, key: string): Fields | undefined {
  const { [key]: _own, ...rest } = metadata ?? {};
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** Returns the fields that are not undefined. */
export function present(fields: Readonly<Record<string, unknown>>): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** @returns the value of the only field, if it is a text; else undefined */
export function onlyText(fields: Fields | null | undefined): string | undefined {
  const values = Object.values(fields ?? {});
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : undefined;
}
