import { asSentence } from '../process/as-sentence.ts';
import { shorten } from '../process/shorten.ts';
import type { Dockerfile } from './dockerfile.ts';

/** How many lines of an instruction's output are kept while it runs. */
const MAX_TAIL_LINES = 200;
/** How many of these lines the error message contains. */
const MAX_SHOWN_LINES = 12;
const MAX_LINE_CHARS = 500;
const MAX_INSTRUCTION_CHARS = 160;

/** An image could not be made; the message says which line failed, and what it printed last. */
export class ImageBuildError extends Error {
  override readonly name = 'ImageBuildError';
  /** The line of the Dockerfile that failed, from 1; undefined when none did. */
  readonly line: number | undefined;
  /** The key of langgraph.json that the line is from, such as `dockerfile_lines[0]`. */
  readonly origin: string | undefined;
  /**
   * The line of the log to show, from 0: where Podman began the failed instruction, or where Docker names its
   * line.
   */
  readonly logLine: number | undefined;
  constructor(
    message: string,
    place: { line: number | undefined; origin: string | undefined; logLine: number | undefined },
  ) {
    super(message);
    this.line = place.line;
    this.origin = place.origin;
    this.logLine = place.logLine;
  }
}

/** An instruction in a Dockerfile, which may span several lines. */
interface Instruction {
  /** Its first line, from 1. */
  readonly line: number;
  readonly text: string;
}

/** Podman's announcement of an instruction, with the number of its stage if there are several. */
const STEP = /^(?:\[\d+\/\d+\] )?STEP \d+\/\d+: (.*)$/;
/** Docker's location of a failed instruction. */
const PLACE = /^Dockerfile:(\d+)$/;
/** The line in which either tool reports why it failed. Commands also print lines like this before it. */
const ERROR = /^(?:Error|ERROR): (.*)$/;
/** Docker's prefix of each line: the number of a step, and before its output the seconds since it began. */
const NUMBERED = /^#\d+ (?:\d+\.\d+ )?/;
/** Lines that the tools themselves print around the output of instructions. */
const TOOL_LINE =
  /^(?:#\d+ (?:DONE|CACHED|ERROR)|-{3,}|\s*>+ \[|\s+\d+ \| |Dockerfile:\d+$|--> |time="[^"]*" level=)/;

/** Finds the instruction that failed in the log of a container tool. */
export class BuildLog {
  readonly #generated: Dockerfile | undefined;
  readonly #instructions: readonly Instruction[];
  /** The last lines that the current instruction printed. */
  #tail: string[] = [];
  /** The instruction that Podman announced last. */
  #step: string | undefined;
  /** The line of the Dockerfile that Docker named. */
  #line: number | undefined;
  /** The last line that has the form of a tool's error. */
  #error: string | undefined;
  /** How many lines of the log were added. */
  #count = 0;
  #logLine: number | undefined;

  /**
   * @param generated the Dockerfile as it was generated; undefined if the user may have changed it.
   * @param text the text of the Dockerfile.
   */
  constructor(generated: Dockerfile | undefined, text: string) {
    this.#generated = generated;
    this.#instructions = instructionsOf(text);
  }

  add(line: string): void {
    const number = this.#count++;
    const step = STEP.exec(line)?.[1];
    if (step !== undefined) {
      this.#step = step;
      this.#logLine = number;
      this.#tail = [];
      return;
    }
    const place = PLACE.exec(line)?.[1];
    if (place !== undefined) {
      this.#line = Number(place);
      this.#logLine = number;
    }
    if (ERROR.test(line)) this.#error = line;
    if (!TOOL_LINE.test(line)) this.#tail.push(line.replace(NUMBERED, ''));
    if (this.#tail.length > MAX_TAIL_LINES) this.#tail.shift();
  }

  /** Why the build failed. */
  failure(): ImageBuildError {
    const instruction = this.#failed();
    const line = instruction?.line;
    const origin = line === undefined ? undefined : this.#generated?.lines[line - 1]?.origin;
    const reason = this.#error === undefined ? undefined : reasonIn(this.#error);
    const ended = reason === undefined || reason === '' ? 'the container tool failed.' : asSentence(reason);
    const where =
      instruction === undefined
        ? `The image could not be built: ${ended}`
        : `The image could not be built: line ${line} of the Dockerfile${origin === undefined ? '' : `, ${origin} of langgraph.json,`} failed. ${shorten(plain(instruction.text), MAX_INSTRUCTION_CHARS)}: ${ended}`;
    const errorAt = this.#error === undefined ? -1 : this.#tail.lastIndexOf(this.#error);
    const printed = this.#tail
      .filter((text, at) => text.trim() !== '' && at !== errorAt)
      .slice(-MAX_SHOWN_LINES)
      .map((text) => shorten(text.trimEnd(), MAX_LINE_CHARS));
    return new ImageBuildError([where, ...printed].join('\n'), { line, origin, logLine: this.#logLine });
  }

  #failed(): Instruction | undefined {
    const named = this.#line;
    if (named !== undefined) return this.#instructions.findLast(({ line }) => line <= named);
    const step = this.#step === undefined ? undefined : plain(this.#step);
    return this.#instructions.find(({ text }) => plain(text) === step);
  }
}

/** The instructions of a Dockerfile, without comments and empty lines, even those within an instruction. */
function instructionsOf(text: string): Instruction[] {
  const found: Instruction[] = [];
  let open: { line: number; parts: string[] } | undefined;
  for (const [at, raw] of text.split('\n').entries()) {
    if (/^\s*(?:#.*)?$/.test(raw)) continue;
    open ??= { line: at + 1, parts: [] };
    open.parts.push(raw.replace(/\\\s*$/, ''));
    if (/\\\s*$/.test(raw)) continue;
    found.push({ line: open.line, text: open.parts.join(' ').trim() });
    open = undefined;
  }
  return found;
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** The reason in a line with a tool's error, without the instruction, which the message already has. */
function reasonIn(error: string): string | undefined {
  return ERROR.exec(error)?.[1]
    ?.replace(/^(?:error )?building at STEP ".*": /, '')
    .replace(/^(?:error )?while running runtime: /, '')
    .replace(/^failed to (?:build: failed to )?solve: /, '')
    .replace(/^process "\/bin\/sh -c .*" did not complete successfully: /, '');
}
