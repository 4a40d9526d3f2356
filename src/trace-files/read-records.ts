import { isDeeperThan, MAX_JSON_DEPTH } from '../process/is-deeper-than.ts';
import { messageOf } from '../process/message-of.ts';
import { TraceFileError } from './trace-file-error.ts';

/** A value of a file, and its place for error messages, such as `Line 3`. */
export interface FileRecord {
  readonly value: unknown;
  readonly place: string;
}

/**
 * Reads a file with one JSON value, a list of values, or one value per line.
 * @throws TraceFileError that names the invalid line or item, or the file
 */
export function readRecords(content: string): FileRecord[] {
  // Some editors and shells begin a file with a byte order mark.
  const text = content.replace(/^\uFEFF/, '');
  const whole = parseJson(text);
  if ('value' in whole) {
    const list = Array.isArray(whole.value) ? whole.value : [whole.value];
    return list.map((value, at) =>
      requireShallow({ value, place: list.length === 1 ? 'The file' : `Item ${at + 1}` }),
    );
  }
  const lines = text.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : [{ line, at }]));
  return lines.map(({ line, at }, index) => {
    const place = `Line ${at + 1}`;
    const parsed = parseJson(line);
    if ('value' in parsed) return requireShallow({ value: parsed.value, place });
    // If the first line is not a value, the file is probably one value over several lines.
    if (index === 0 && lines.length > 1)
      throw new TraceFileError(`The file is not valid JSON: ${whole.problem}.`);
    throw new TraceFileError(`${place} is not valid JSON: ${parsed.problem}.`);
  });
}

function parseJson(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

function requireShallow(record: FileRecord): FileRecord {
  if (!isDeeperThan(MAX_JSON_DEPTH, record.value)) return record;
  throw new TraceFileError(`${record.place} is nested more than ${MAX_JSON_DEPTH} levels deep.`);
}
