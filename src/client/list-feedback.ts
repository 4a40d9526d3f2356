import type { Feedback } from '../contract/tracing/feedback.ts';
import type { Client } from './client.ts';
import { eachPage } from './each-page.ts';

/**
 * Lists all feedback on runs, newest first.
 * @throws RequestError
 */
export async function listFeedback(
  { feedback }: Pick<Client['tracing'], 'feedback'>,
  runIds: readonly string[],
  signal?: AbortSignal,
): Promise<Feedback[]> {
  const all: Feedback[] = [];
  const pages = eachPage({ idOf: ({ id }: Feedback) => id }, (page) =>
    feedback.list({ query: { ...page, run: [...runIds] } }, { signal }),
  );
  for await (const page of pages) all.push(...page);
  return all;
}
