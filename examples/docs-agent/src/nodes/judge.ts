import { Command } from '@langchain/langgraph';
import { settingsOf } from '../settings.ts';
import type { DocsNode, Search, Verdict } from '../state.ts';
import { searchesOf } from '../turn.ts';

/** Judges what was found: answers when sure, asks a person when not, and gives up when there is nothing. */
export const judge: DocsNode<'answer' | 'approve' | 'decline'> = ({ messages }, { context, writer }) => {
  const { approval_threshold } = settingsOf(context);
  const best = searchesOf(messages).reduce((a, b) => (b.confidence > a.confidence ? b : a));
  const verdict: Verdict = {
    sure: best.confidence > approval_threshold,
    confidence: best.confidence,
    reason: reasonFor(best),
  };
  writer?.({ type: 'judged', ...verdict });
  const unsure = best.passages.length > 0 ? 'approve' : 'decline';
  return new Command({ update: { verdict }, goto: verdict.sure ? 'answer' : unsure });
};

function reasonFor({ passages, missing }: Search): string {
  if (passages.length === 0) return 'Nothing in the documents fits the question.';
  if (missing.length === 0) return 'The best passage has every key word of the question.';
  return `The best passage says nothing about ${missing.map((word) => `“${word}”`).join(', ')}.`;
}
