/** A frame of a stack that names a line of a file. */
export interface StackFrame {
  /** A path on the system that the code ran on, which may not be this one, or a name such as `node:fs`. */
  readonly file: string;
  readonly line: number;
  readonly column?: number;
  /** The function, where the stack names it. */
  readonly name?: string;
}

/** `at async RunnableCallable.approve [as func] (file:///a/b (1).ts:3:7)`, `at /a/b.ts:3:7`. */
const JAVASCRIPT =
  /^\s*at (?:(?:async |new )*(?<name>[^\n]{0,200}?)(?: \[as [^\]\n]*\])? \()?(?:async )?(?<file>(?:file:\/\/|node:|\/|[A-Za-z]:[\\/])[^\n]{1,400}?):(?<line>\d+):(?<column>\d+)\)?$/;
/** `File "/a/b.py", line 3, in plan`; in a group of exceptions behind a bar. */
const PYTHON = /^[\s|]*File "(?<file>[^"\n]{1,400})", line (?<line>\d+)(?:, in (?<name>\S+))?/;

/** Files of packages, and of the product's own runtimes, which load the user's graphs. */
const PACKAGES =
  /[\\/](?:node_modules|site-packages|dist-packages|agent_harbor_runtime)[\\/]|[\\/]dist[\\/]runtime-node(?:-[\w-]+)?\.js/i;
const PYTHON_LIBRARY = /[\\/](?:lib[\\/]python3\.\d+|python3\d+[\\/]lib)[\\/]/i;

/**
 * Whether a line of a stack is a frame, including one without a place, such as `at Array.map (<anonymous>)`.
 */
export function isFrame(line: string): boolean {
  return /^\s+at |^[\s|]*File "/.test(line);
}

/** Parses a line of a stack; undefined when it names no line of a file. */
export function frameOf(line: string): StackFrame | undefined {
  const { file, line: row, column, name } = (JAVASCRIPT.exec(line) ?? PYTHON.exec(line))?.groups ?? {};
  if (file === undefined) return undefined;
  return {
    file: pathOf(file),
    line: Number(row),
    ...(column !== undefined && { column: Number(column) }),
    ...nameOf(name),
  };
}

/**
 * Whether a frame belongs to a package, a standard library or one of the product's own runtimes. Frames that
 * name no line of a file count too.
 */
export function isFramework(line: string): boolean {
  const frame = frameOf(line);
  return frame === undefined || !isOwnFile(frame.file);
}

/** Whether a file may be the user's own. */
export function isOwnFile(file: string): boolean {
  return /^(?:\/|[A-Za-z]:[\\/])/.test(file) && !PACKAGES.test(file) && !PYTHON_LIBRARY.test(file);
}

/** The frames of an error in the user's own files, the innermost first: Python writes it last, JavaScript first. */
export function ownFrames(error: string): StackFrame[] {
  const frames = error.split('\n').flatMap((line) => frameOf(line) ?? []);
  const own = frames.filter(({ file }) => isOwnFile(file));
  return error.includes('Traceback (most recent call last)') ? own.toReversed() : own;
}

/** The path of a file that may be given as a URL, in which spaces and other characters are escaped. */
export function pathOf(place: string): string {
  if (!place.startsWith('file:')) return place;
  const escaped = place.replace(/^file:\/\/(?:\/(?=[A-Za-z]:))?/, '');
  const isOfWindows = /^[A-Za-z]:/.test(escaped);
  try {
    const path = decodeURIComponent(escaped);
    return isOfWindows ? path.replaceAll('/', '\\') : path;
  } catch {
    return escaped;
  }
}

/** The name to show for a function; none for anonymous functions and the top level of a module. */
function nameOf(name: string | undefined): { name?: string } {
  // LangGraph's wrapper calls an anonymous node through this field.
  const last = name === 'RunnableCallable.func' ? undefined : name?.split('.').at(-1);
  return last === undefined || last === '' || /[<>]/.test(last) ? {} : { name: last };
}
