import { z } from 'zod';
import { JsonObject } from '../../../../contract/fields.ts';
import { jsonOrUndefined } from '../../../../process/json-or-undefined.ts';
import type { DecisionRequest, InboxRequest } from '../../../../terms/interrupt-requests.ts';
import { type AskedQuestion, contentOf, contentSchema, FormError, UNANSWERED } from './asked-question.ts';

// Questions about actions that wait for a decision, with wording of this server.

/** An action that waits for a decision. */
interface Action {
  readonly name: string;
  readonly args: Readonly<JsonObject>;
  readonly description: string | undefined;
  readonly decisions: readonly string[];
  /** The decisions that take a message. */
  readonly withMessage: readonly string[];
  /** The decisions that take edited arguments. */
  readonly withArguments: readonly string[];
  /** The decision that is made when the user declines to answer. */
  readonly declined: string | undefined;
  decide(decision: string, message: string | undefined, args: Readonly<JsonObject>): unknown;
}

/** The form for a decision, with fields for the arguments and the message if any decision takes them. */
function decisionForm({ args, decisions, withMessage, withArguments }: Action) {
  const hasEdits = withArguments.some((decision) => decisions.includes(decision));
  const takeMessage = withMessage.filter((decision) => decisions.includes(decision));
  return {
    type: 'object',
    properties: {
      decision: { type: 'string', title: 'Decision', enum: [...decisions] },
      ...(hasEdits
        ? {
            arguments: {
              type: 'string',
              title: 'Arguments',
              description: 'A JSON object, for an edit.',
              default: JSON.stringify(args),
            },
          }
        : {}),
      ...(takeMessage.length > 0
        ? { message: { type: 'string', title: 'Message', description: `For: ${takeMessage.join(', ')}.` } }
        : {}),
    },
    required: ['decision'],
  };
}

const Decision = z.object({
  decision: z.string(),
  arguments: z.string().optional(),
  message: z.string().optional(),
});

/** The question for an action. A message or arguments that the decision does not take are ignored. */
function actionQuestion(action: Action): AskedQuestion {
  const { name, args, decisions } = action;
  const form = decisionForm(action);
  const content = contentSchema(form);
  return {
    elicitation: {
      mode: 'form',
      message: `${action.description ?? 'An action waits for a decision.'}\n${name}(${JSON.stringify(args)})`,
      requestedSchema: form,
    },
    answer: (reply) => {
      const { declined } = action;
      if (reply.action !== 'accept') {
        const isPossible =
          reply.action === 'decline' && declined !== undefined && decisions.includes(declined);
        return isPossible ? action.decide(declined, undefined, args) : UNANSWERED;
      }
      const { decision, arguments: edited, message } = Decision.parse(contentOf(content, reply));
      const given = edited === undefined ? undefined : JsonObject.safeParse(jsonOrUndefined(edited)).data;
      if (edited !== undefined && given === undefined) {
        throw new FormError('content.arguments: must be a JSON object');
      }
      return action.decide(decision, message === '' ? undefined : message, given ?? args);
    },
  };
}

/** The question for a request of LangChain. @param editedKey the key of an edited action in the answer. */
export function decisionQuestion(request: DecisionRequest, editedKey: string): AskedQuestion {
  const { name, args, description, decisions } = request;
  return actionQuestion({
    name,
    args,
    description,
    decisions,
    withMessage: ['reject', 'respond'],
    withArguments: ['edit'],
    declined: 'reject',
    decide: (type, message, given) => ({
      type,
      ...(type === 'edit' ? { [editedKey]: { name, args: given } } : {}),
      ...(message !== undefined && type !== 'approve' && type !== 'edit' ? { message } : {}),
    }),
  });
}

/** The question for a request of an agent inbox. @throws FormError if it allows no decision. */
export function inboxQuestion({ action, args, description, allows }: InboxRequest): AskedQuestion {
  const decisions = [
    ...(allows.accept ? ['accept'] : []),
    ...(allows.edit ? ['edit'] : []),
    ...(allows.respond ? ['response'] : []),
    ...(allows.ignore ? ['ignore'] : []),
  ];
  if (decisions.length === 0) throw new FormError(`The interrupt's request '${action}' allows no decision.`);
  return actionQuestion({
    name: action,
    args,
    description,
    decisions,
    withMessage: ['response'],
    withArguments: ['edit'],
    declined: 'ignore',
    decide: (type, message, given) => ({
      type,
      args: type === 'edit' ? { action, args: given } : type === 'response' ? (message ?? '') : null,
    }),
  });
}
