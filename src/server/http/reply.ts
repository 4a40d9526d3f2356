/**
 * A response with its own status or headers. For a bare value from a handler, the endpoint's first success
 * status is used.
 */
export class Reply<Value> {
  readonly value: Value;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  constructor(value: Value, options: { status?: number; headers?: Readonly<Record<string, string>> } = {}) {
    this.value = value;
    this.status = options.status;
    this.headers = options.headers ?? {};
  }
}

/** JSON that is already serialized. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * An object whose large members are already JSON text.
 * @returns the text of the object: `fields` serialized, then `raw` members verbatim.
 */
export function jsonObject(fields: object, raw: Readonly<Record<string, string>>): JsonText {
  const head = JSON.stringify(fields).slice(0, -1);
  const members = Object.entries(raw).map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  const separator = head.length > 1 && members.length > 0 ? ',' : '';
  return new JsonText(`${head}${separator}${members.join(',')}}`);
}

export function jsonArray(items: readonly JsonText[]): JsonText {
  return new JsonText(`[${items.map((item) => item.text).join(',')}]`);
}

/** JSON text of a value; a `JsonText` is taken unchanged. */
export function toJson(value: unknown): string {
  return value instanceof JsonText ? value.text : JSON.stringify(value);
}

/**
 * A slow JSON response. The status line is sent immediately, and white space keeps the connection alive,
 * because clients and proxies time out. Errors that need their own status must be thrown earlier.
 */
export class PendingReply {
  readonly value: Promise<unknown>;
  readonly headers: Readonly<Record<string, string>>;
  constructor(value: Promise<unknown>, headers: Readonly<Record<string, string>> = {}) {
    this.value = value;
    this.headers = headers;
  }
}
