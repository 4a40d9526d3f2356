import { isUtf8 } from 'node:buffer';

/** One part of a multipart body as received. */
export interface MultipartPart {
  /**
   * The headers by lower-case name; one that was sent several times has all of its values, separated by
   * commas.
   */
  readonly headers: ReadonlyMap<string, string>;
  /** The content in pieces, which are views of the chunks that were written. */
  readonly content: readonly Uint8Array[];
  readonly length: number;
}

/** The maximum sizes of headers and contents, and the maximum number of parts. */
export interface MultipartLimits {
  readonly headerBytes: number;
  readonly partBytes: number;
  /** For the content of all parts together. */
  readonly totalBytes: number;
  readonly parts: number;
}

/** The body is not valid multipart; the message says why. */
export class MultipartError extends Error {}

/** A part or the whole content is larger than its limit. */
export class MultipartTooLarge extends Error {
  readonly what: 'part' | 'body';
  constructor(what: 'part' | 'body') {
    super(`A multipart ${what} is too large.`);
    this.what = what;
  }
}

const NOTHING = Buffer.alloc(0);
const HEADER_END = Buffer.from('\r\n\r\n');
const [CR, LF, DASH] = [0x0d, 0x0a, 0x2d];
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds any character outside ASCII.
const BEYOND_ASCII = /[^\x00-\x7f]/;
/** Lower-case names of common headers by their usual spelling, because converting each name takes time. */
const LOWER_CASE_NAMES = new Map(
  ['Content-Disposition', 'Content-Type', 'Content-Length'].map((name) => [name, name.toLowerCase()]),
);

/**
 * Reads the parts of a multipart body (RFC 2046, 5.1) from chunks of any size. A span has five parts of a few
 * hundred bytes, so the cost per part dominates.
 */
export class MultipartParser {
  readonly #limits: MultipartLimits;
  /**
   * The delimiter before each part and after the last one. The first delimiter has no line end before it.
   */
  readonly #delimiter: Buffer;
  /** The delimiter as text, with one character per byte. */
  readonly #delimiterText: string;
  /** Bytes that have been written but not yet read. */
  #rest: Buffer = NOTHING;
  #state: 'start' | 'after-delimiter' | 'header' | 'content' | 'end' = 'start';
  #headers: ReadonlyMap<string, string> = new Map();
  #content: Uint8Array[] = [];
  #length = 0;
  #total = 0;
  #parts = 0;

  constructor(boundary: string, limits: MultipartLimits) {
    this.#limits = limits;
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
    this.#delimiterText = this.#delimiter.toString('latin1');
  }

  /**
   * Continues reading.
   * @returns the parts that this chunk completed.
   * @throws MultipartError, MultipartTooLarge
   */
  write(chunk: Uint8Array): MultipartPart[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const data = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const parts: MultipartPart[] = [];
    let at = 0;
    for (let next: number | undefined = 0; next !== undefined; next = this.#read(data, at, parts)) at = next;
    this.#rest = data.subarray(this.#state === 'end' ? data.length : at);
    return parts;
  }

  /** @throws MultipartError when the body ended before its last delimiter. */
  finish(): void {
    if (this.#state !== 'end') throw new MultipartError('the body is not finished');
  }

  /**
   * Reads the next element.
   * @returns where the one after it begins; undefined if more data is needed first.
   */
  #read(data: Buffer, at: number, parts: MultipartPart[]): number | undefined {
    switch (this.#state) {
      case 'start':
        return this.#readStart(data);
      case 'after-delimiter':
        return this.#readLineEnd(data, at);
      case 'header':
        return this.#readHeader(data, at);
      case 'content':
        return this.#readContent(data, at, parts);
      case 'end':
        return undefined;
    }
  }

  #readStart(data: Buffer): number | undefined {
    const first = this.#delimiter.subarray(2);
    if (data.length < first.length) return undefined;
    if (!data.subarray(0, first.length).equals(first)) {
      throw new MultipartError('it does not begin with the boundary');
    }
    this.#state = 'after-delimiter';
    return first.length;
  }

  #readLineEnd(data: Buffer, at: number): number | undefined {
    if (data.length - at < 2) return undefined;
    if (data[at] === DASH && data[at + 1] === DASH) this.#state = 'end';
    else if (data[at] === CR && data[at + 1] === LF) this.#state = 'header';
    else throw new MultipartError('the boundary is not followed by CRLF');
    return at + 2;
  }

  #readHeader(data: Buffer, at: number): number | undefined {
    const isEmpty = data[at] === CR && data[at + 1] === LF;
    const end = isEmpty ? at : data.indexOf(HEADER_END, at);
    const length = (end < 0 ? data.length : end) - at;
    const most = this.#limits.headerBytes;
    if (length > most) throw new MultipartError(`the header of a part is larger than ${most} bytes`);
    if (end < 0) return undefined;
    // A header is short: searching its text costs less than each call that searches bytes.
    const text = data.toString('latin1', at, end);
    if (this.#hasDelimiter(text)) throw new MultipartError('a part ends within its header');
    this.#headers = parseHeaders(BEYOND_ASCII.test(text) ? utf8Of(data.subarray(at, end)) : text);
    this.#content = [];
    this.#length = 0;
    this.#state = 'content';
    return isEmpty ? at + 2 : end + HEADER_END.length;
  }

  /**
   * Whether a header contains a delimiter, also at its beginning: there, the delimiter's line end has
   * already been read with the delimiter before it.
   */
  #hasDelimiter(header: string): boolean {
    return header.startsWith(this.#delimiterText.slice(2)) || header.includes(this.#delimiterText);
  }

  #readContent(data: Buffer, at: number, parts: MultipartPart[]): number | undefined {
    const end = data.indexOf(this.#delimiter, at);
    if (end < 0) {
      // The last bytes may be the beginning of a delimiter.
      const sure = data.length - this.#delimiter.length + 1;
      if (sure <= at) return undefined;
      this.#keep(data.subarray(at, sure));
      return sure;
    }
    this.#keep(data.subarray(at, end));
    if (++this.#parts > this.#limits.parts) {
      throw new MultipartError(`it has more than ${this.#limits.parts} parts`);
    }
    parts.push({ headers: this.#headers, content: this.#content, length: this.#length });
    this.#state = 'after-delimiter';
    return end + this.#delimiter.length;
  }

  #keep(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    this.#total += piece.length;
    if (this.#length > this.#limits.partBytes) throw new MultipartTooLarge('part');
    if (this.#total > this.#limits.totalBytes) throw new MultipartTooLarge('body');
    this.#content.push(piece);
  }
}

function utf8Of(header: Buffer): string {
  if (!isUtf8(header)) throw new MultipartError('the header of a part is not valid UTF-8');
  return header.toString('utf8');
}

/** Parses headers; lines without a colon are ignored. */
function parseHeaders(text: string): Map<string, string> {
  const headers = new Map<string, string>();
  for (let start = 0, end: number; start < text.length; start = end + 2) {
    const lineEnd = text.indexOf('\r\n', start);
    end = lineEnd < 0 ? text.length : lineEnd;
    const colon = text.indexOf(':', start);
    if (colon < 0) break;
    if (colon === start || colon > end) continue;
    const written = text.slice(start, colon);
    const name = LOWER_CASE_NAMES.get(written) ?? written.trim().toLowerCase();
    const value = text.slice(colon + 1, end).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}
