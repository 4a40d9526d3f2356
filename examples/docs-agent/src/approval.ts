import { interrupt } from '@langchain/langgraph';
import * as z from 'zod';
import { CitationSchema } from './state.ts';

/** What a person may answer to an approval request. */
const DecisionSchema = z.discriminatedUnion('decision', [
  z.object({ decision: z.literal('approve') }),
  z.object({ decision: z.literal('edit'), question: z.string().trim().min(1) }),
  z.object({ decision: z.literal('reject') }),
]);
export type Decision = z.infer<typeof DecisionSchema>;

/** Each possible answer, with the value to resume the run with. */
const allowed = [
  { decision: 'approve', description: 'Answer from these passages.', resume: { decision: 'approve' } },
  {
    decision: 'edit',
    description: 'Ask again in other words.',
    resume: { decision: 'edit', question: 'the question in other words' },
  },
  {
    decision: 'reject',
    description: 'Say that the documents do not answer this.',
    resume: { decision: 'reject' },
  },
];

/** What the run shows while it waits for a person. */
export const ApprovalRequestSchema = z.object({
  type: z.literal('approval'),
  question: z.string(),
  reason: z.string(),
  confidence: z.number(),
  threshold: z.number(),
  passages: z.array(CitationSchema.extend({ excerpt: z.string() })),
});
export type ApprovalRequest = z.infer<typeof ApprovalRequestSchema>;

/**
 * Interrupts the run until a person decides. An answer that is none of the allowed ones interrupts again and says
 * what was wrong with it.
 */
export function askForApproval(request: ApprovalRequest): Decision {
  let problem: string | undefined;
  for (;;) {
    const answer: unknown = interrupt(
      { ...request, allowed, ...(problem && { problem }) },
      // As JSON Schema it describes the form without throwing on an answer that does not fit.
      { responseSchema: z.toJSONSchema(DecisionSchema) },
    );
    const decision = DecisionSchema.safeParse(typeof answer === 'string' ? { decision: answer } : answer);
    if (decision.success) return decision.data;
    problem = `${JSON.stringify(answer)} is none of the allowed answers: ${z.prettifyError(decision.error)}`;
  }
}
