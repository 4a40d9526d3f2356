import { stripVTControlCharacters } from 'node:util';
import picocolors from 'picocolors';

export type Colors = ReturnType<typeof picocolors.createColors>;

/** The part of standard output and error that a terminal uses: a tty's stream, a pipe or a file. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

export interface TerminalOptions {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: NodeJS.ProcessEnv;
}

const DEFAULT_COLUMNS = 80;

/** Where results and errors of a command go; colors only in a terminal. */
export class Terminal {
  readonly colors: Colors;
  readonly errorColors: Colors;
  readonly #stdout: Output;
  readonly #stderr: Output;
  #atLineStart = true;

  constructor({ stdout, stderr, environment }: TerminalOptions) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.colors = picocolors.createColors(showsColors(stdout, environment));
    this.errorColors = picocolors.createColors(showsColors(stderr, environment));
    // A closed pipe, for example by `head`, is not a failure.
    stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit();
      throw error;
    });
  }

  /** Width that lines and tables must fit into; undefined in a pipe or a file, where nothing is cut. */
  get fitWidth(): number | undefined {
    if (this.#stdout.isTTY !== true) return undefined;
    // A pseudo-terminal without a size, such as that of `script` or a container, has no columns.
    return this.#stdout.columns || DEFAULT_COLUMNS;
  }

  /** Writes text without a newline. */
  write(text: string): void {
    if (text === '') return;
    this.#stdout.write(text);
    this.#atLineStart = text.endsWith('\n');
  }

  /** Writes a line. */
  line(text = ''): void {
    this.freshLine();
    this.write(`${text}\n`);
  }

  /** Ends the current line if it has text. */
  freshLine(): void {
    if (!this.#atLineStart) this.write('\n');
  }

  /** Writes a remark to standard error. */
  note(text: string): void {
    this.freshLine();
    this.#stderr.write(`${text}\n`);
  }

  failure(sentence: string): void {
    this.note(`${this.errorColors.red('error:')} ${printable(sentence)}`);
  }
}

function showsColors(stream: Output, { NO_COLOR, FORCE_COLOR, TERM }: NodeJS.ProcessEnv): boolean {
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return stream.isTTY === true && TERM !== 'dumb';
}

/** Removes escape sequences and control characters from the text of models and tools. */
export function printable(text: string): string {
  return (
    stripVTControlCharacters(text)
      .replace(/\r\n?/g, '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not come through
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
  );
}
