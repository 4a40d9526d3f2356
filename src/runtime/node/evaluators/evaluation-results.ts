import type { EvaluationResult } from '../../protocol/protocol.ts';
import { ReturnValueError } from '../errors/runtime-error.ts';
import { isRecord } from '../langgraph-types.ts';

/**
 * Reads the value that an evaluator returned: a result in LangSmith's form, a list of them, `{ results: [...] }`, or a
 * plain score or text.
 * @param name the evaluator's name, which is the key of a result without one.
 * @throws ReturnValueError for anything else.
 */
export function readResults(returned: unknown, name: string): EvaluationResult[] {
  if (typeof returned === 'number' || typeof returned === 'boolean') return [{ key: name, score: returned }];
  if (typeof returned === 'string') return [{ key: name, value: returned }];
  if (Array.isArray(returned)) return returned.flatMap((result) => readResults(result, name));
  if (isRecord(returned) && Array.isArray(returned.results)) return readResults(returned.results, name);
  if (isRecord(returned)) return [readResult(returned, name)];
  throw new ReturnValueError(
    `The evaluator '${name}' returned ${returned === null ? 'null' : typeof returned}. It must return a score, or an object such as { key: '${name}', score: 1 }.`,
  );
}

function readResult(returned: Record<string, unknown>, name: string): EvaluationResult {
  const { key, score, value, comment, correction, sourceRunId } = returned;
  if (score === undefined && value === undefined && (comment === undefined || comment === null)) {
    throw new ReturnValueError(
      `The evaluator '${name}' returned an object without score, value or comment. Return for example { key: '${name}', score: 1 }.`,
    );
  }
  if (score !== undefined && score !== null && typeof score !== 'number' && typeof score !== 'boolean') {
    throw new ReturnValueError(
      `The evaluator '${name}' returned a score that is neither a number nor a boolean.`,
    );
  }
  const fields = {
    key: textIn(key, 'key', name),
    comment: textIn(comment, 'comment', name),
    source_run_id: textIn(sourceRunId, 'sourceRunId', name),
  };
  return {
    key: fields.key || name,
    ...(score === undefined ? {} : { score }),
    ...(value === undefined ? {} : { value }),
    ...(fields.comment === undefined ? {} : { comment: fields.comment }),
    ...(correction === undefined ? {} : { correction }),
    ...(fields.source_run_id === undefined ? {} : { source_run_id: fields.source_run_id }),
  };
}

function textIn(value: unknown, field: string, name: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw new ReturnValueError(`The evaluator '${name}' returned a ${field} that is not a string.`);
}
