import type { RecordingLine } from '../contract/agent-server/exchanges.ts';
import { type BodyChunks, fromChunks, toChunks } from '../process/body-text.ts';
import type { Masker } from './mask.ts';
import { maskExchange } from './mask-exchange.ts';

/**
 * How much of the end of a part is searched again together with the next part. Secrets are assumed to be shorter.
 */
const BORDER_BYTES = 65_536;

/** Masks secrets in a long body that arrives in parts, with two parts in memory. */
export class PartMasker {
  readonly #masker: Masker;
  #held: { readonly bytes: Buffer; readonly lengths: readonly number[] } | undefined;

  constructor(masker: Masker) {
    this.#masker = masker;
  }

  /** @returns the previous part, which is now final; undefined for the first */
  add(part: Readonly<BodyChunks>): BodyChunks | undefined {
    const pieces = fromChunks(part);
    const border = this.#held?.bytes.subarray(-BORDER_BYTES) ?? Buffer.alloc(0);
    const masked = Buffer.from(this.#masker.bytes(Buffer.concat([border, ...pieces])));
    // Masking keeps the length. The border shares the memory of the held part, so this masks the end of that part.
    masked.copy(border, 0, 0, border.length);
    const before = this.#take();
    this.#held = { bytes: masked.subarray(border.length), lengths: pieces.map(({ length }) => length) };
    return before;
  }

  /**
   * @param isCut whether the body was cut off, possibly within a secret, whose beginning is then masked too
   * @returns the last part; undefined when there was none
   */
  end(isCut: boolean): BodyChunks | undefined {
    if (isCut && this.#held !== undefined) {
      const bytes = Buffer.from(this.#masker.bytes(this.#held.bytes, true));
      this.#held = { ...this.#held, bytes };
    }
    return this.#take();
  }

  #take(): BodyChunks | undefined {
    const held = this.#held;
    if (held === undefined) return undefined;
    this.#held = undefined;
    let at = 0;
    return toChunks(
      held.lengths.map((length) => {
        at += length;
        return held.bytes.subarray(at - length, at);
      }),
    );
  }
}

/** Masks the secrets in exchanges and their parts, in order, with two parts in memory. */
export async function* maskRecording(
  lines: AsyncIterable<RecordingLine>,
  masker: Masker,
): AsyncGenerator<RecordingLine, void, undefined> {
  let parts = new PartMasker(masker);
  let isCut = false;
  let count = 0;
  for await (const line of lines) {
    if (line.kind === 'exchange') {
      parts = new PartMasker(masker);
      isCut = line.response?.cut === true;
      count = line.response?.parts ?? 0;
      yield maskExchange(line, masker);
      continue;
    }
    const before = parts.add(line);
    if (before !== undefined) yield { ...line, part: line.part - 1, ...before };
    const last = line.part === count - 1 ? parts.end(isCut) : undefined;
    if (last !== undefined) yield { ...line, ...last };
  }
}
