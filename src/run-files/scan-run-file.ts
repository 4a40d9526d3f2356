import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { parseRunFileLine, RunFileError } from '../replay/read-run-file.ts';
import type { Kinds, RunFileLine } from '../replay/run-file.ts';
import { whyUnreadable } from './why-unreadable.ts';

/** Where a line is in a file, in bytes. */
export interface LinePlace {
  readonly offset: number;
  readonly length: number;
}

export interface ScannedLine {
  readonly kind: string;
  readonly place: LinePlace;
  /** Undefined for kinds that were not requested. */
  readonly line: RunFileLine | undefined;
}

const NEW_LINE = 0x0a;
/** The beginning of a line, within its first `KIND_BYTES`. */
const KIND = /^\{"kind":"(\w+)"/;
const KIND_BYTES = 64;
/** The maximum number of bytes in a blank line, such as the carriage return of a Windows line ending. */
const MAX_BLANK = 8;

/**
 * Reads the places of all lines of a run file, in order, and parses the lines of the given kinds.
 * @param kinds all by default
 * @throws RunFileError while iterating, for a file that is not a run file, incomplete, or unreadable
 */
export async function* scanRunFile(
  path: string,
  kinds?: Kinds,
): AsyncGenerator<ScannedLine, void, undefined> {
  let count = 0;
  for await (const gathered of gatherLines(path, kinds)) {
    if (gathered.isBlank) continue;
    const scanned = gathered.finish(count + 1);
    if (scanned.line?.kind === 'end') {
      if (scanned.line.lines !== count)
        throw new RunFileError(`it should have ${scanned.line.lines} lines but has ${count}.`);
      return;
    }
    count++;
    yield scanned;
  }
  throw new RunFileError('it is incomplete: its end is missing.');
}

async function* gatherLines(
  path: string,
  kinds: Kinds | undefined,
): AsyncGenerator<GatheredLine, void, undefined> {
  const input = createReadStream(path, { highWaterMark: 1 << 20 });
  let current = new GatheredLine(0, kinds);
  try {
    for await (const chunk of input) {
      const bytes: Buffer = chunk;
      let from = 0;
      for (let end = bytes.indexOf(NEW_LINE); end >= 0; end = bytes.indexOf(NEW_LINE, from)) {
        current.add(bytes.subarray(from, end));
        from = end + 1;
        yield current;
        current = new GatheredLine(current.end + 1, kinds);
      }
      current.add(bytes.subarray(from));
    }
    // The last line may lack its line feed.
    yield current;
  } catch (error) {
    throw isSystemError(error) ? new RunFileError(whyUnreadable(path, error), { cause: error }) : error;
  } finally {
    input.destroy();
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

/** Reads a line again. @throws RunFileError when the file has changed, or the error of the file system */
export async function readLineAt(path: string, { offset, length }: LinePlace): Promise<RunFileLine> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
    // The number of the line is unknown, and only the first is treated differently.
    return parseRunFileLine(buffer.toString('utf8', 0, bytesRead), 0);
  } finally {
    await file.close();
  }
}

/**
 * A line while it is read. Its bytes are dropped as soon as its kind is known not to be requested; the kind
 * is read after `KIND_BYTES`.
 */
class GatheredLine {
  readonly #offset: number;
  readonly #kinds: ReadonlySet<string> | undefined;
  #pieces: Buffer[] = [];
  #length = 0;
  #kind: string | undefined;

  constructor(offset: number, kinds: Kinds | undefined) {
    this.#offset = offset;
    this.#kinds = kinds;
  }

  get end(): number {
    return this.#offset + this.#length;
  }

  get isBlank(): boolean {
    return this.#length <= MAX_BLANK && Buffer.concat(this.#pieces).toString('latin1').trim() === '';
  }

  add(bytes: Buffer): void {
    this.#length += bytes.length;
    if (this.#isSkipped) return;
    this.#pieces.push(bytes);
    if (this.#kind !== undefined || this.#length < KIND_BYTES) return;
    this.#kind = KIND.exec(Buffer.concat(this.#pieces).toString('latin1', 0, KIND_BYTES))?.[1] ?? '';
    if (this.#isSkipped) this.#pieces = [];
  }

  finish(number: number): ScannedLine {
    const place = { offset: this.#offset, length: this.#length };
    if (this.#isSkipped) return { kind: this.#kind ?? '', place, line: undefined };
    const line = parseRunFileLine(Buffer.concat(this.#pieces).toString('utf8'), number);
    return { kind: line.kind, place, line };
  }

  /** The first and the last line decide whether the file is valid, so they are always read. */
  get #isSkipped(): boolean {
    return (
      this.#kinds !== undefined &&
      this.#kind !== undefined &&
      this.#kind !== '' &&
      this.#offset > 0 &&
      !this.#kinds.has(this.#kind) &&
      this.#kind !== 'end'
    );
  }
}
