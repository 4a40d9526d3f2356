import { z } from 'zod';
import { JsonObject } from '../../../../contract/fields.ts';
import { jsonOrUndefined } from '../../../../process/json-or-undefined.ts';
import { messageOf as errorMessageOf } from '../../../../process/message-of.ts';
import {
  type DecisionRequest,
  type ElicitationRequest,
  type InboxRequest,
  readInterruptRequests,
} from '../../../../terms/interrupt-requests.ts';

/** A question to a client's user, in the form of `elicitation/create` (MCP 2026-07-28, "Elicitation"). */
export type Elicitation =
  | { readonly mode: 'form'; readonly message: string; readonly requestedSchema: JsonObject }
  | { readonly mode: 'url'; readonly message: string; readonly url: string };

export const ElicitationReply = z.looseObject({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: JsonObject.nullish(),
});
export type ElicitationReply = z.output<typeof ElicitationReply>;

/**
 * The answer when the user declines or cancels a question, and no resume value expresses that. The call then
 * ends.
 */
export const UNANSWERED = Symbol('unanswered');

export interface AskedQuestion {
  readonly elicitation: Elicitation;
  /** Turns a reply into the answer, a part of the resume value. @throws FormError for content that does not fit. */
  answer(reply: ElicitationReply): unknown;
}

/** The questions of an interrupt. */
export interface AskedInterrupt {
  readonly questions: readonly AskedQuestion[];
  /** The resume value, from the answers in order. */
  resume(answers: readonly unknown[]): unknown;
}

/** A form that cannot be asked, or an answer that does not fit it. */
export class FormError extends Error {
  override readonly name = 'FormError';
}

/**
 * The questions of an interrupt. Elicitations are unchanged. A text becomes a field `response`, requests of LangChain and
 * of agent inboxes become a decision for each action, and everything else becomes a text that may be JSON
 * (docs/agent-server.md#interrupts-over-mcp).
 * @throws FormError for a form that clients cannot show.
 */
export function questionsOf(
  value: unknown,
  { allowInsecureUrls }: { allowInsecureUrls: boolean },
): AskedInterrupt {
  if (typeof value === 'string') return one(textQuestion(value, (text) => text));
  const requests = readInterruptRequests(value);
  switch (requests?.kind) {
    case 'elicitation':
      return {
        questions: requests.requests.map((request) => elicitationQuestion(request, allowInsecureUrls)),
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
  return one(textQuestion(textOf(value), jsonOrText, 'Text, or JSON.'));
}

function one(question: AskedQuestion): AskedInterrupt {
  return { questions: [question], resume: ([answer]) => answer };
}

// Questions that graphs ask in the protocol's own form.

const Titled = { title: z.string().optional(), description: z.string().optional() };
const Choice = z.strictObject({ const: z.string(), title: z.string().optional() });
const Field = z.union([
  z.strictObject({
    type: z.literal('string'),
    ...Titled,
    minLength: z.int().optional(),
    maxLength: z.int().optional(),
    pattern: z.string().optional(),
    format: z.enum(['email', 'uri', 'date', 'date-time']).optional(),
    enum: z.array(z.string()).optional(),
    enumNames: z.array(z.string()).optional(),
    oneOf: z.array(Choice).optional(),
    default: z.string().optional(),
  }),
  z.strictObject({
    type: z.enum(['number', 'integer']),
    ...Titled,
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    default: z.number().optional(),
  }),
  z.strictObject({ type: z.literal('boolean'), ...Titled, default: z.boolean().optional() }),
  z.strictObject({
    type: z.literal('array'),
    ...Titled,
    minItems: z.int().optional(),
    maxItems: z.int().optional(),
    items: z.union([
      z.strictObject({ type: z.literal('string').optional(), enum: z.array(z.string()) }),
      z.strictObject({ anyOf: z.array(Choice) }),
    ]),
    default: z.array(z.string()).optional(),
  }),
]);
/** The schema of a form: a flat object, because clients do not show anything else. */
const RequestedSchema = z.looseObject({
  type: z.literal('object'),
  properties: z.record(z.string(), Field),
  required: z.array(z.string()).optional(),
});

/** Names of secrets, which a form must not ask for ("Elicitation", trust and safety). */
const SECRET = /pass(?:word|code|phrase)|secret|api[-_]?key|access[-_]?token|credential|credit[-_]?card|cvv/i;

function elicitationQuestion(asked: ElicitationRequest, allowInsecureUrls: boolean): AskedQuestion {
  if (asked.mode === 'url') {
    const { mode, message, url } = asked;
    if (!isSafeUrl(url, allowInsecureUrls)) {
      throw new FormError(
        `The interrupt's url '${url.slice(0, 64)}' must begin with https:// and have no credentials in it.`,
      );
    }
    return { elicitation: { mode, message, url }, answer: ({ action }) => ({ action }) };
  }
  const { message, schema: requestedSchema } = asked;
  const schema = RequestedSchema.safeParse(requestedSchema);
  if (!schema.success) {
    const [issue] = schema.error.issues;
    const where = ['requestedSchema', ...(issue?.path ?? [])].map(String).join('.');
    throw new FormError(
      `The interrupt's ${where} is not a form that MCP clients show: use a flat object of texts, numbers, booleans and choices.`,
    );
  }
  const secret = Object.keys(schema.data.properties).find((name) => SECRET.test(name));
  if (secret !== undefined) {
    throw new FormError(`The interrupt asks for '${secret}' in a form. Use mode 'url' for secrets.`);
  }
  const form = JsonObject.parse(requestedSchema);
  const content = contentSchema(form);
  return {
    elicitation: { mode: 'form', message, requestedSchema: form },
    answer: (reply) =>
      reply.action === 'accept'
        ? { action: 'accept', content: contentOf(content, reply) }
        : { action: reply.action },
  };
}

/** Whether users may be sent to a URL: only https (also http if that is allowed), without credentials. */
function isSafeUrl(text: string, allowInsecure: boolean): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (allowInsecure && url.protocol === 'http:');
}

/**
 * The schema of a form's content.
 * @throws FormError for a schema that is not valid, for example because of a pattern.
 */
function contentSchema(form: JsonObject): z.ZodType {
  try {
    return z.fromJSONSchema({ ...form, additionalProperties: false });
  } catch (error) {
    throw new FormError(`The interrupt's requestedSchema is not valid: ${errorMessageOf(error)}`);
  }
}

/** The content of a reply. @throws FormError that names the field that does not fit the form. */
function contentOf(schema: z.ZodType, { content }: ElicitationReply): JsonObject {
  const checked = schema.safeParse(content ?? {});
  if (checked.success) return JsonObject.parse(checked.data);
  const [issue] = checked.error.issues;
  throw new FormError(
    `content${(issue?.path ?? []).map((key) => `.${String(key)}`).join('')}: ${issue?.message}`,
  );
}

// Questions for interrupts in other forms, with wording of this server.

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

function actionQuestion(action: Action): AskedQuestion {
  const { name, args, decisions } = action;
  const hasEdits = action.withArguments.some((decision) => decisions.includes(decision));
  const withMessage = action.withMessage.filter((decision) => decisions.includes(decision));
  const form = {
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
      ...(withMessage.length > 0
        ? { message: { type: 'string', title: 'Message', description: `For: ${withMessage.join(', ')}.` } }
        : {}),
    },
    required: ['decision'],
  };
  const content = contentSchema(form);
  const Content = z.object({
    decision: z.string(),
    arguments: z.string().optional(),
    message: z.string().optional(),
  });
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
      const { decision, arguments: edited, message } = Content.parse(contentOf(content, reply));
      const given = edited === undefined ? undefined : JsonObject.safeParse(jsonOrUndefined(edited)).data;
      if (edited !== undefined && given === undefined) {
        throw new FormError('content.arguments: must be a JSON object');
      }
      return action.decide(decision, message === '' ? undefined : message, given ?? args);
    },
  };
}

function decisionQuestion(request: DecisionRequest, editedKey: string): AskedQuestion {
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

function inboxQuestion({ action, args, description, allows }: InboxRequest): AskedQuestion {
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
