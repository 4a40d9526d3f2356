import { type BodyChunks, toChunks } from '../../../process/body-text.ts';
import { DecompressedSizeError, decompress } from '../../../process/decompress.ts';
import type { ExchangeResponse } from '../../protocol/protocol.ts';

/** Larger bodies are recorded in parts of about this size. */
const PART_BYTES = 1_048_576;
/** Headers that describe the body as it was sent. */
const ENCODED_BODY_HEADERS: ReadonlySet<string> = new Set(['content-encoding', 'content-length']);

/** Sends a part of a long body. Resolves when it is stored. */
export type SendPart = (part: BodyChunks) => Promise<void>;

/** The body of a response while it is read. */
export class RecordedBody {
  readonly #headers: [string, string][];
  readonly #encoding: string | undefined;
  readonly #send: SendPart;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #parts = 0;

  /** @param isDecoded whether the pieces are decompressed, even if the headers have a content-encoding */
  constructor(headers: [string, string][], isDecoded: boolean, send: SendPart) {
    const encoding = headers.find(([name]) => name.toLowerCase() === 'content-encoding')?.[1];
    this.#headers = isDecoded && encoding !== undefined ? plainHeaders(headers) : headers;
    this.#encoding = isDecoded ? undefined : encoding;
    this.#send = send;
  }

  /** @returns a promise that resolves when there is room for more; undefined if there already is. */
  add(piece: Uint8Array): Promise<void> | undefined {
    this.#pieces.push(piece.slice());
    this.#bytes += piece.length;
    // A compressed body can only be decompressed as a whole.
    return this.#bytes < PART_BYTES || this.#encoding !== undefined ? undefined : this.#sendPart();
  }

  /** The fields of the recorded response that describe the body, as far as it has arrived. */
  finish(): Pick<ExchangeResponse, 'headers' | 'encoding' | 'chunks' | 'parts'> {
    if (this.#parts > 0) {
      if (this.#pieces.length > 0) void this.#sendPart();
      return { headers: this.#headers, encoding: 'utf8', chunks: [], parts: this.#parts };
    }
    const plain =
      this.#encoding === undefined || this.#pieces.length === 0
        ? undefined
        : decompressed(this.#pieces, this.#encoding);
    // Secrets can only be masked in decompressed data.
    return plain === undefined
      ? { headers: this.#headers, ...toChunks(this.#pieces) }
      : { headers: plainHeaders(this.#headers), ...toChunks([plain]) };
  }

  #sendPart(): Promise<void> {
    const part = toChunks(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    this.#parts++;
    // If a part cannot be stored, the run fails elsewhere.
    return this.#send(part).catch(() => {});
  }
}

/**
 * Decompresses a body.
 * @returns no bytes for a body that is too large for a recording; undefined for one that cannot be
 * decompressed
 */
function decompressed(pieces: readonly Uint8Array[], encoding: string): Uint8Array | undefined {
  try {
    return decompress(Buffer.concat(pieces), encoding);
  } catch (error) {
    if (error instanceof DecompressedSizeError) return new Uint8Array();
    throw error;
  }
}

function plainHeaders(headers: [string, string][]): [string, string][] {
  return headers.filter(([name]) => !ENCODED_BODY_HEADERS.has(name.toLowerCase()));
}
