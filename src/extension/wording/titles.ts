import type { Thread } from '../../contract/agent-server/threads.ts';
import { isObject } from '../../process/objects.ts';
import { readMessage, roleOf, textOf } from '../../terms/messages.ts';
import { questionIn } from '../../terms/payload.ts';
import { parseBeginning } from './parse-beginning.ts';

// These titles share a file, because activation would have to read one more file of the bundle for each of them.

/** Longer texts are cut: a row and a tab show less. */
const MAX_LENGTH = 120;
/** Deeper values do not help to distinguish inputs. */
const MAX_DEPTH = 8;
/** IDs and times, which mean nothing to a reader. */
const OPAQUE = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)$/i;
/**
 * The beginning of texts that nobody wrote: the `repr` of a LangGraph `Command` or of another Python object.
 */
const OBJECT_TEXT = /^(?:Command(?:\(|$)|<[\w.]+(?:\(| object\b))/;
/** The beginning of the inputs of an evaluator's trace, as LangSmith's SDKs write them. */
const EVALUATOR_CALL =
  /^\{\s*(?:"args"\s*:\s*\[\{\s*)?(?:"langSmithRunAndExample"\s*:\s*\{\s*)?"run"\s*:\s*\{/;

/**
 * The words that distinguish one input from another: its first human message, else its first text or number.
 * @param input a value, or the beginning of its JSON, as lists of runs have it
 * @returns a line; undefined if there are no words
 */
export function inputTitle(input: unknown): string | undefined {
  return lineOf(typeof input === 'string' ? wordsOfText(input) : wordsOf(input));
}

/** The fields of an example that name it. */
interface NamedExample {
  readonly name?: string | undefined;
  readonly inputs?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

/** The name that a file gives an example, else its first words, else the name that the platform generated. */
export function exampleTitle({ name, inputs, metadata }: NamedExample): string | undefined {
  const given = metadata?.name;
  if (typeof given === 'string' && given.trim() !== '') return given;
  return inputTitle(inputs) ?? name;
}

/** A thread in the answer of a search. */
interface FoundThread {
  readonly metadata?: Thread['metadata'] | undefined;
  /** Has `title`, the content of the thread's first message, if the search extracts it. */
  readonly extracted?: unknown;
}

/** The name that a thread was given, else the first message of its state; undefined if it has neither. */
export function threadTitle({ metadata, extracted }: FoundThread): string | undefined {
  for (const name of [metadata?.name, metadata?.title]) {
    if (typeof name === 'string' && name.trim() !== '') return inputTitle(name) ?? name;
  }
  return inputTitle(isObject(extracted) ? extracted.title : undefined);
}

/** Words on one line, short enough for a row; undefined if there are none, or nobody wrote them. */
export function lineOf(words: string | undefined): string | undefined {
  if (words !== undefined && OBJECT_TEXT.test(words)) return undefined;
  const line = words?.trim().replace(/\s+/g, ' ');
  return line ? line.slice(0, MAX_LENGTH) : undefined;
}

function wordsOfText(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? wordsOf(value) : text;
  } catch {
    // The JSON was cut off, or this is not JSON.
    return /^\s*[[{]/.test(text) ? wordsOfBeginning(text) : text;
  }
}

/** @param text the beginning of JSON. */
function wordsOfBeginning(text: string): string | undefined {
  // In the call of an evaluator, the inputs that distinguish the evaluated run come after this beginning.
  if (EVALUATOR_CALL.test(text)) return undefined;
  const said = messageWords(parseBeginning(text), 0);
  if (said !== undefined) return said;
  const inMessage = /"(?:content|text)"\s*:\s*"((?:[^"\\]|\\.)*)/.exec(text);
  if (inMessage !== null) return unescapeText(inMessage[1] ?? '');
  // Otherwise, the first text is used that is neither an ID nor the author of a message.
  for (const [, key, found = ''] of text.matchAll(/(?:"(\w+)"\s*:|\[)\s*"((?:[^"\\]|\\.)*)/g)) {
    const isAuthor = (key === undefined || key === 'role') && isRole(found);
    if (!OPAQUE.test(found) && !isAuthor) return unescapeText(found);
  }
  return undefined;
}

function unescapeText(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    // The text was cut in the middle of an escape.
    return text.replaceAll('\\n', ' ').replace(/\\+$/, '');
  }
}

function wordsOf(value: unknown): string | undefined {
  if (isAnswer(value)) return undefined;
  return messageWords(value, 0) ?? anyWords(value, 0);
}

/**
 * Whether an input answers an interrupt: Python traces the whole `Command` as `input`. Such an input has no
 * title, because `traceTitle` shows the answer itself.
 */
function isAnswer(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('input' in value)) return false;
  const { input } = value;
  return typeof input === 'object' && input !== null && 'resume' in input && 'goto' in input;
}

/** The text of the first human message, or of the first question to a model that is next to its instructions. */
function messageWords(value: unknown, depth: number): string | undefined {
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return undefined;
  const message = readMessage(value);
  const said =
    message?.role === 'human' ? textOf(message).trim() : (pairOf(value)?.human ?? questionIn(value) ?? '');
  if (said !== '') return said;
  for (const one of Object.values(value)) {
    const found = messageWords(one, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** LangGraph's short form of a message: `["user", "Hi"]`. */
function pairOf(value: object): { readonly text: string; readonly human: string | undefined } | undefined {
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [role, text]: unknown[] = value;
  if (typeof role !== 'string' || typeof text !== 'string' || !isRole(role)) return undefined;
  return { text, human: roleOf(role) === 'human' ? text : undefined };
}

function isRole(word: string): boolean {
  return roleOf(word) !== 'other';
}

function anyWords(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value.trim() === '' || OPAQUE.test(value.trim()) ? undefined : value;
  if (typeof value === 'number') return String(value);
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return undefined;
  const pair = pairOf(value);
  if (pair !== undefined) return anyWords(pair.text, depth + 1);
  // A message is identified by its text, never by its author.
  const message = readMessage(value);
  if (message !== undefined) return anyWords(textOf(message), depth + 1);
  // A block of content is shown by its text, because its type says nothing.
  if ('text' in value) return anyWords(value.text, depth + 1);
  if ('content' in value) return anyWords(value.content, depth + 1);
  // An evaluated run is identified by its inputs.
  const evaluated = 'inputs' in value ? anyWords(value.inputs, depth + 1) : undefined;
  if (evaluated !== undefined) return evaluated;
  for (const one of Object.values(value)) {
    const found = anyWords(one, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
