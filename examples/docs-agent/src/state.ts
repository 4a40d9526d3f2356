import { type GraphNode, MessagesValue, StateSchema } from '@langchain/langgraph';
import * as z from 'zod';
import type { Context } from './settings.ts';

/** A piece of one section of one Markdown file. `source` is how an answer cites it. */
export const PassageSchema = z.object({
  source: z.string().meta({ description: 'docs/concepts.md#purging' }),
  file: z.string(),
  heading: z.string().meta({ description: 'The headings above the passage: Concepts › Purging' }),
  line: z.number(),
  text: z.string(),
});
export type Passage = z.infer<typeof PassageSchema>;

/** What one search of the documents brought back. */
export const SearchSchema = z.object({
  query: z.string(),
  confidence: z.number().meta({ description: 'Share of the key words that the best passage has, 0 to 1.' }),
  missing: z.array(z.string()).meta({ description: 'Key words that the best passage does not have.' }),
  passages: z.array(PassageSchema),
});
export type Search = z.infer<typeof SearchSchema>;

const VerdictSchema = z.object({ sure: z.boolean(), confidence: z.number(), reason: z.string() });
export type Verdict = z.infer<typeof VerdictSchema>;

export const CitationSchema = PassageSchema.omit({ text: true });
export type Citation = z.infer<typeof CitationSchema>;

/** A thread's state: the conversation, and what was judged and cited in its latest turn. */
export const DocsState = new StateSchema({
  messages: MessagesValue,
  verdict: VerdictSchema.nullable().default(null),
  citations: z.array(CitationSchema).default([]),
});

/** A question is all that comes in. */
export const DocsInput = new StateSchema({ messages: MessagesValue });

/** A node of the graph; `Next` names the nodes it may go to with a `Command`. */
export type DocsNode<Next extends string = never> = GraphNode<typeof DocsState, Context, Next>;
