import { HumanMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import { askForApproval } from '../approval.ts';
import { excerptOf } from '../models/extract.ts';
import { settingsOf } from '../settings.ts';
import type { DocsNode } from '../state.ts';
import { questionOf, searchesOf } from '../turn.ts';

/** How much of each passage the request shows, in characters. */
const excerptLength = 240;

/** Shows a person what was found and lets them decide: answer from it, ask in other words, or leave it. */
export const approve: DocsNode<'plan' | 'answer' | 'decline'> = ({ messages, verdict }, { context }) => {
  const decision = askForApproval({
    type: 'approval',
    question: questionOf(messages),
    reason: verdict?.reason ?? '',
    confidence: verdict?.confidence ?? 0,
    threshold: settingsOf(context).approval_threshold,
    passages: searchesOf(messages).flatMap(({ query, passages }) =>
      passages.map((passage) => {
        const { text: _, ...citation } = passage;
        return { ...citation, excerpt: excerptOf(query, passage, excerptLength) };
      }),
    ),
  });

  switch (decision.decision) {
    case 'approve':
      return new Command({ goto: 'answer' });
    case 'edit':
      return new Command({ goto: 'plan', update: { messages: [new HumanMessage(decision.question)] } });
    case 'reject':
      return new Command({ goto: 'decline' });
  }
};
