import type { BaseMessage } from '@langchain/core/messages';
import { keyWordsOf, wordsOf } from '../corpus/words.ts';
import { questionsOf } from '../turn.ts';

/** Words by which a question leans on the one before it. */
const leaning = new Set([
  'it',
  'its',
  'that',
  'this',
  'they',
  'them',
  'these',
  'those',
  'there',
  'one',
  'ones',
]);

/**
 * The key words of the last question. A question such as "And how long does it take?" depends on the one
 * before it, so the key words of that one are included.
 */
export function searchQuery(messages: BaseMessage[]): string {
  const questions = questionsOf(messages);
  let query: string[] = [];
  for (const question of questions.reverse()) {
    query = [...keyWordsOf(question), ...query];
    if (!leansOnEarlier(question)) break;
  }
  return [...new Set(query)].join(' ');
}

function leansOnEarlier(question: string): boolean {
  const [first, ...rest] = wordsOf(question);
  const isShort = keyWordsOf(question).length <= 2;
  return isShort && (first === 'and' || rest.some((word) => leaning.has(word)));
}
