import { usage } from '../terminal/failure.ts';
import { quotingHint } from './json-arguments.ts';

/** The answer to an interrupt as it was typed: JSON where it is valid JSON, else text. */
export function answerOf(typed: string): unknown {
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}

/**
 * The answer of `--resume`.
 * @throws Failure for an object or a list that is not valid JSON: it is not meant as text.
 */
export function answerArgument(typed: string): unknown {
  // Standard input ends with a newline that belongs to no answer.
  const answer = answerOf(typed.replace(/\r?\n$/, ''));
  if (typeof answer === 'string' && /^\s*[{[]/.test(typed)) {
    throw usage(`--resume is not valid JSON: ${typed}. ${quotingHint('--resume')}`);
  }
  return answer;
}
