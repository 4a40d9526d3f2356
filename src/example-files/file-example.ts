import type { z } from 'zod';
import type { JsonObject } from '../contract/fields.ts';

type Fields = z.output<typeof JsonObject>;

/** An example as files have it. */
export interface FileExample {
  readonly id?: string;
  readonly inputs: Fields;
  readonly outputs: Fields | null;
  readonly metadata: Fields | null;
  readonly split?: string | string[];
}

/** The metadata that keeps what a format has in addition to examples, so that an export restores it. */
export function ownFields(metadata: Fields | null | undefined, key: string): Fields {
  const own = metadata?.[key];
  return typeof own === 'object' && own !== null ? { ...own } : {};
}

/** Metadata without the fields that a format keeps in it. */
export function withoutOwn(metadata: Fields | null | undefined, key: string): Fields | undefined {
  const { [key]: _own, ...rest } = metadata ?? {};
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** The fields that are set. */
export function present(fields: Readonly<Record<string, unknown>>): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The only text among some fields; undefined if there are more fields, or it is not a text. */
export function onlyText(fields: Fields | null | undefined): string | undefined {
  const values = Object.values(fields ?? {});
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : undefined;
}
