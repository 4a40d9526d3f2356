import { z } from 'zod';
import { jsonOrUndefined } from '../../../../process/json-or-undefined.ts';
import { readInterruptRequests } from '../../../../terms/interrupt-requests.ts';
import { decisionQuestion, inboxQuestion } from './action-questions.ts';
import { type AskedQuestion, contentOf, contentSchema, UNANSWERED } from './asked-question.ts';
import { elicitationQuestion } from './elicitation-question.ts';

/** The questions of an interrupt. */
export interface AskedInterrupt {
  readonly questions: readonly AskedQuestion[];
  /** The resume value, from the answers in order. */
  resume(answers: readonly unknown[]): unknown;
}

/**
 * The questions of an interrupt. Elicitations are unchanged. A text becomes a field `response`, requests of
 * LangChain and of agent inboxes become a decision for each action, and everything else becomes a text that
 * may be JSON (docs/agent-server.md#interrupts-over-mcp).
 * @throws FormError for a form that clients cannot show.
 */
export function questionsOf(
  value: unknown,
  { allowInsecureUrls }: { allowInsecureUrls: boolean },
): AskedInterrupt {
  if (typeof value === 'string') return askOne(textQuestion(value, (text) => text));
  const requests = readInterruptRequests(value);
  switch (requests?.kind) {
    case 'elicitation':
      return {
        questions: requests.requests.map((request) => elicitationQuestion(request, { allowInsecureUrls })),
        resume: requests.resume,
      };
    case 'decisions': {
      const { editedKey, resume } = requests;
      return {
        questions: requests.requests.map((request) => decisionQuestion(request, editedKey)),
        resume,
      };
    }
    case 'inbox':
      return { questions: requests.requests.map(inboxQuestion), resume: requests.resume };
  }
  return askOne(textQuestion(textOf(value), jsonOrText, 'Text, or JSON.'));
}

function askOne(question: AskedQuestion): AskedInterrupt {
  return { questions: [question], resume: ([answer]) => answer };
}

/** A question with one field, with wording of this server. @param read turns the text into the answer. */
function textQuestion(
  message: string,
  read: (text: string) => unknown,
  description = 'The answer.',
): AskedQuestion {
  const form = {
    type: 'object',
    properties: { response: { type: 'string', title: 'Response', description } },
    required: ['response'],
  };
  const content = contentSchema(form);
  const Content = z.object({ response: z.string() });
  return {
    elicitation: { mode: 'form', message, requestedSchema: form },
    answer: (reply) =>
      reply.action === 'accept' ? read(Content.parse(contentOf(content, reply)).response) : UNANSWERED,
  };
}

/** The text that is shown for an interrupt: its question or message, otherwise its JSON. */
function textOf(value: unknown): string {
  const { data } = z
    .looseObject({ question: z.string().optional(), message: z.string().optional() })
    .safeParse(value);
  return data?.question ?? data?.message ?? JSON.stringify(value);
}

function jsonOrText(text: string): unknown {
  const value = jsonOrUndefined(text);
  return value === undefined ? text : value;
}
