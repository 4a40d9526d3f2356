import { zodIssues } from './zod-issues.ts';

/** An error of a trace in two parts. */
export interface ErrorParts {
  /** The type and the message, which may have several lines. */
  readonly message: string;
  /** The lines below the message: frames, causes, tracebacks. Empty when there is no stack. */
  readonly stack: string;
}

/**
 * The beginning of Python's stacks, including those of exception groups. In a quoted message, no line break
 * follows it.
 */
const TRACEBACK = /(?: {2}\+ Exception Group )?Traceback \(most recent call last\):(?=\s*\n)/;

/** A frame as V8 writes it: with line and column, or, in a few forms, without a place. */
const V8_FRAME = /^[ \t]+at (?:.*:\d+:\d+\)?|.*\((?:<anonymous>|native|index \d+)\)|<anonymous>)$/;

/** A frame of Java or .NET, which other tracers send. */
const CALL_FRAME = /^[ \t]+at [\w$.<>[\]`/]+\(/;

/** The beginning of a stack in JavaScript: `TypeError: no`, `AssertionError [ERR_ASSERTION]: no`, `Error`. */
const V8_TYPE = /^[\w$.]+(?: \[\w+\])?(?:: |(?=\n|$))/;

/** The first line of a second error below a message: an empty line, then a type. */
const SECOND_ERROR = /\n\n(?=[\w$.]*(?:Error|Exception)(?: \[\w+\])?(?::|\n|$))/g;

/** Python's line between the tracebacks of an exception and of one that it led to. */
const LED_TO =
  /^(?:During handling of the above exception, another exception occurred|The above exception was the direct cause of the following exception):$/m;

/** The maximum number of empty lines in an error that are tried as the end of its message. */
const MAX_PARAGRAPHS = 1_000;

/**
 * Splits an error into its message and its stack. LangChain's JavaScript tracer writes the message, and then the stack,
 * which begins with the message again. Its Python tracer writes the `repr` directly followed by the traceback. Tracers
 * of OpenTelemetry send only the stack.
 */
export function partsOfError(error: string): ErrorParts {
  const repeated = splitRepeated(error);
  if (repeated !== undefined) return repeated;
  const text = error.trim();
  const lines = text.split('\n');
  if (V8_FRAME.test(lines.at(-1) ?? '')) return splitAbove(lines, V8_FRAME);
  const traceback = TRACEBACK.exec(error);
  if (traceback !== null) {
    const stack = withoutGaps(error.slice(traceback.index)).trimEnd();
    return { message: error.slice(0, traceback.index).trim() || exceptionOf(stack), stack };
  }
  return splitAbove(lines, lines.some((line) => V8_FRAME.test(line)) ? V8_FRAME : CALL_FRAME);
}

/** The error in one line: its type and the first line of its message, or the issues of a zod error. */
export function errorHead(error: string): string {
  const { message } = partsOfError(error);
  return issuesInWords(message) ?? message.split('\n', 1)[0] ?? '';
}

/** Splits the form of LangChain's JavaScript tracer: the message, an empty line, and the stack with the message in it. */
function splitRepeated(error: string): ErrorParts | undefined {
  let at = error.indexOf('\n\n');
  for (let count = 0; at >= 0 && count < MAX_PARAGRAPHS; count++, at = error.indexOf('\n\n', at + 1)) {
    const message = error.slice(0, at);
    const [type] = V8_TYPE.exec(error.slice(at + 2, at + 202)) ?? [];
    if (type === undefined) continue;
    const end = at + 2 + type.length + message.length;
    if (!error.startsWith(message, at + 2 + type.length)) continue;
    if (end < error.length && error[end] !== '\n') continue;
    return { message: (type + message).trim(), stack: withoutOuterBlankLines(error.slice(end)) };
  }
  return undefined;
}

/** Splits an error above its first frame. */
function splitAbove(lines: readonly string[], frame: RegExp): ErrorParts {
  const first = lines.findIndex((line) => frame.test(line));
  if (first < 0) return { message: lines.join('\n').trim(), stack: '' };
  const head = lines.slice(0, first).join('\n');
  const frames = lines.slice(first).join('\n');
  // If the message was changed after the stack was captured, the stack begins with the earlier message.
  const earlier = [...head.matchAll(SECOND_ERROR)].at(-1);
  return earlier === undefined
    ? { message: head.trim(), stack: frames }
    : {
        message: head.slice(0, earlier.index).trim(),
        stack: `${head.slice(earlier.index).trim()}\n${frames}`,
      };
}

/** The exception at the end of a traceback, with its notes. */
function exceptionOf(stack: string): string {
  const [last = ''] = stack.split(LED_TO).slice(-1);
  const isGroup = /^\s*\+ Exception Group/.test(last);
  const lines = last.replace(/^\n+/, '').split('\n').slice(1);
  const own = isGroup ? linesOfGroup(lines) : lines;
  const first = own.findIndex((line) => /^\S/.test(line));
  return first < 0 ? '' : own.slice(first).join('\n').trim();
}

/** The lines of a group's own traceback, without the lines of its exceptions and the bars before them. */
function linesOfGroup(lines: readonly string[]): string[] {
  const end = lines.findIndex((line) => /^\s*\+-/.test(line));
  return (end < 0 ? lines : lines.slice(0, end)).map((line) => line.replace(/^\s*\| ?/, ''));
}

/** The traceback as Python prints it, without the empty lines that LangChain's tracer puts between its lines. */
function withoutGaps(traceback: string): string {
  return traceback.replace(/\n{3,}/g, (breaks) => (breaks.length > 3 ? '\n\n' : '\n'));
}

function withoutOuterBlankLines(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
}

/** Formats a zod error, whose message is the JSON of its issues, in one line; undefined for other errors. */
function issuesInWords(message: string): string | undefined {
  const [, type = '', json] = /^(\$?ZodError: )?(\[\n[\s\S]*\])$/.exec(message) ?? [];
  if (json === undefined) return undefined;
  const issues = zodIssues(json).map((issue) => `${issue.path}${issue.path && ': '}${issue.message}`);
  return issues.length === 0 ? undefined : type + issues.join('; ');
}
