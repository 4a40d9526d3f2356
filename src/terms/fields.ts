export type Dictionary = Readonly<Record<string, unknown>>;

/** Whether a value is an object with keys: neither null nor a list. */
export function isDictionary(value: unknown): value is Dictionary {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Fields of messages that are not shown, because they mean nothing to people: identifiers, totals that spans also have,
 * encrypted texts. The fields beginning with `lc_` repeat those of LangChain's JavaScript messages that are traced as plain
 * objects.
 */
export const HIDDEN_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'lc_kwargs',
  'lc_namespace',
  'lc_serializable',
  'index',
  'lc',
  'tool_call_id',
  'tool_use_id',
  'toolCallId',
  'toolUseId',
  'call_id',
  'response_metadata',
  'usage_metadata',
  'signature',
  'thought_signature',
  'thoughtSignature',
  'encrypted_content',
]);

/** Reads the fields of an object one by one, and keeps track of those that have not been read: `rest()`. */
export class Fields {
  readonly #left: Map<string, unknown>;

  constructor(value: Dictionary) {
    this.#left = new Map(Object.entries(value));
  }

  /** The first of the named fields that is a text; marks it as read, as the other methods do. */
  text(...names: readonly string[]): string | undefined {
    return this.take((value) => (typeof value === 'string' ? value : undefined), ...names);
  }

  /** The first of the named fields that exists and is not null. */
  value(...names: readonly string[]): unknown {
    return this.take((value) => value ?? undefined, ...names);
  }

  list(...names: readonly string[]): readonly unknown[] | undefined {
    return this.take((value) => (Array.isArray(value) ? value : undefined), ...names);
  }

  dictionary(...names: readonly string[]): Dictionary | undefined {
    return this.take((value) => (isDictionary(value) ? value : undefined), ...names);
  }

  /** Whether a field has one of these values; marks it as read if it does. */
  is(name: string, ...values: readonly unknown[]): boolean {
    if (!values.includes(this.#left.get(name))) return false;
    return this.#left.delete(name);
  }

  /** The first result of `read` for the named fields that is not `undefined`. */
  take<T>(read: (value: unknown) => T | undefined, ...names: readonly string[]): T | undefined {
    for (const name of names) {
      const found = this.#left.has(name) ? read(this.#left.get(name)) : undefined;
      if (found === undefined) continue;
      this.#left.delete(name);
      return found;
    }
    return undefined;
  }

  /** The fields to show that have not been read and have content; `undefined` when there are none. */
  rest(): Dictionary | undefined {
    const left = [...this.#left].filter(([name, value]) => !HIDDEN_FIELDS.has(name) && !saysNothing(value));
    return left.length === 0 ? undefined : Object.fromEntries(left);
  }
}

/** Whether a value has no content to show, such as `false` or an object with nothing but empty fields. */
export function saysNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false) return true;
  return typeof value === 'object' && Object.values(value).every(saysNothing);
}

/** Parses a value if it is JSON text; returns other values unchanged. */
export function parseIfJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
