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
 * @throws TraceFileError that names the invalid line
 */
export function readRecords(text: string): FileRecord[] {
  const whole = parsed(text);
  if (whole !== undefined) {
    const list = Array.isArray(whole.value) ? whole.value : [whole.value];
    return list.map((value, at) =>
      checked({ value, place: list.length === 1 ? 'The file' : `Item ${at + 1}` }),
    );
  }
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return [];
    const place = `Line ${at + 1}`;
    try {
      return [checked({ value: JSON.parse(line), place })];
    } catch (error) {
      if (error instanceof TraceFileError) throw error;
      throw new TraceFileError(`${place} is not valid JSON: ${messageOf(error)}.`);
    }
  });
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function checked(record: FileRecord): FileRecord {
  if (!isDeeperThan(MAX_JSON_DEPTH, record.value)) return record;
  throw new TraceFileError(`${record.place} is nested more than ${MAX_JSON_DEPTH} levels deep.`);
}
