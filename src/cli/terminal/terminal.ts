import { once } from 'node:events';
import { type Colors, cleanText, makeColors } from './colors.ts';
import { CONTROLS, printable } from './printable.ts';

/** The part of standard output and error that a terminal uses: a tty's stream, a pipe or a file. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

interface TerminalOptions {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: NodeJS.ProcessEnv;
}

const DEFAULT_COLUMNS = 80;

/**
 * Prints the results and errors of a command, with colors only in a terminal. Text of platforms, models and files is
 * printed without control characters: only line breaks, tabs and the formats of `colors` have an effect.
 */
export class Terminal {
  readonly colors: Colors;
  readonly errorColors: Colors;
  readonly #stdout: Output;
  readonly #stderr: Output;
  #atLineStart = true;

  constructor({ stdout, stderr, environment }: TerminalOptions) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.colors = makeColors(showsColors(stdout, environment));
    this.errorColors = makeColors(showsColors(stderr, environment));
    // A closed pipe, for example by `head`, is not a failure.
    stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit();
      throw error;
    });
  }

  /** The columns that lines and tables must fit into; undefined in a pipe or a file, where nothing is cut. */
  get fitWidth(): number | undefined {
    if (this.#stdout.isTTY !== true) return undefined;
    // A pseudo-terminal without a size, such as that of `script` or a container, has no columns.
    return this.#stdout.columns || DEFAULT_COLUMNS;
  }

  /** Writes text without a newline. */
  write(text: string): void {
    const clean = cleanText(text);
    if (clean === '') return;
    this.#stdout.write(clean);
    this.#atLineStart = clean.endsWith('\n');
  }

  /** Writes a line. */
  line(text = ''): void {
    this.freshLine();
    this.write(`${text}\n`);
  }

  /** Writes a value as a line of JSON, in which control characters are escaped. */
  json(value: unknown): void {
    this.freshLine();
    this.#stdout.write(`${JSON.stringify(value).replace(CONTROLS, escapeInJson)}\n`);
  }

  /** Writes data unchanged to a pipe or file, and as printable text to a terminal. */
  async data(pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
    const isShown = this.#stdout.isTTY === true;
    const decoder = new TextDecoder();
    for await (const piece of pieces) {
      const text = typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
      if (!this.#stdout.write(isShown ? printable(text) : piece)) await once(this.#stdout, 'drain');
    }
  }

  /** Ends the current line if it has text. */
  freshLine(): void {
    if (!this.#atLineStart) this.write('\n');
  }

  /** Writes a remark to standard error. */
  note(text: string): void {
    this.freshLine();
    this.#stderr.write(`${cleanText(text)}\n`);
  }

  failure(sentence: string): void {
    this.note(`${this.errorColors.red('error:')} ${sentence}`);
  }
}

function showsColors(stream: Output, { NO_COLOR, FORCE_COLOR, TERM }: NodeJS.ProcessEnv): boolean {
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return stream.isTTY === true && TERM !== 'dumb';
}

function escapeInJson(control: string): string {
  return `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
