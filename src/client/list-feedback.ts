import type { Feedback } from '../contract/tracing/feedback.ts';
import type { Client } from './client.ts';
import { eachPage } from './each-page.ts';

/** The maximum number of runs that a request names in its URL. */
const MAX_RUNS = 100;

/**
 * Lists all feedback on runs, newest first within each group of 100 runs.
 * @throws RequestError
 */
export async function listFeedback(
  { feedback }: Pick<Client['tracing'], 'feedback'>,
  runIds: readonly string[],
  signal?: AbortSignal,
): Promise<Feedback[]> {
  const all: Feedback[] = [];
  for (let at = 0; at < runIds.length; at += MAX_RUNS) {
    const run = runIds.slice(at, at + MAX_RUNS);
    const pages = eachPage({ idOf: ({ id }: Feedback) => id }, (page) =>
      feedback.list({ query: { ...page, run } }, { signal }),
    );
    for await (const page of pages) all.push(...page);
  }
  return all;
}
