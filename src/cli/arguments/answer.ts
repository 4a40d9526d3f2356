import { usage } from '../terminal/failure.ts';
import { quotingHint } from './json-arguments.ts';

/** The text that the user typed as the answer to an interrupt: parsed if it is valid JSON, else the text. */
export function answerOf(typed: string): unknown {
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}

/**
 * Reads the answer of `--resume`.
 * @throws Failure for text that begins like an object or a list and is not valid JSON, and so is probably not
 * meant as text
 */
export function answerArgument(typed: string): unknown {
  // The newline at the end of standard input is not part of the answer.
  const answer = answerOf(typed.replace(/\r?\n$/, ''));
  if (typeof answer === 'string' && /^\s*[{[]/.test(typed)) {
    throw usage(`--resume is not valid JSON: ${typed}. ${quotingHint('--resume')}`);
  }
  return answer;
}
