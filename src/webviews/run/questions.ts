import * as l10n from '@vscode/l10n';
import { type Dictionary, isDictionary } from '../../terms/fields.ts';
import {
  type DecisionRequest,
  type ElicitationRequest,
  type InboxRequest,
  readInterruptRequests,
} from '../../terms/interrupt-requests.ts';
import { type Form, formOf } from '../shared/form/field.ts';
import { schemaOf } from '../shared/form/schema-of.ts';

/** An answer that a question offers. */
export interface AnswerOption {
  readonly label: string;
  readonly description: string | undefined;
  readonly answer: unknown;
  /** The form that the user fills in first; `json` if the answer is edited as JSON; `nothing` if it is sent as it is. */
  readonly asks: 'nothing' | 'json' | AnswerForm;
}

interface AnswerForm {
  readonly form: Form;
  /** The path in the answer to the object that the form fills in. */
  readonly path: readonly string[];
  /** Whether the form has the arguments of the action. */
  readonly hasArgs: boolean;
}

/** An action that needs approval. */
export interface Action {
  readonly name: string;
  readonly args: unknown;
  readonly description: string | undefined;
}

/** A question to the user, and the answers that it offers. */
export interface Question {
  /** The action that the question is about. */
  readonly action: Action | undefined;
  readonly options: readonly AnswerOption[];
  /** The form for an answer whose schema is in the payload. */
  readonly form: Form | undefined;
  /** Makes the answer from the values of this form. */
  readonly answerOfForm: (filled: unknown) => unknown;
  /** The question of an MCP server. */
  readonly elicitation: ElicitationRequest | undefined;
  /** The answers that decline the question of an MCP server, or cancel the tool call. */
  readonly refusals: readonly AnswerOption[];
}

const emptyQuestion: Question = {
  action: undefined,
  options: [],
  form: undefined,
  answerOfForm: (filled) => filled,
  elicitation: undefined,
  refusals: [],
};

interface Questions {
  readonly questions: readonly Question[];
  /** Makes the value that resumes the interrupt from the answers to its questions, in order. */
  readonly resume: (answers: readonly unknown[]) => unknown;
}

/** Keys of payloads with the JSON Schema of the expected answer. */
const SCHEMA_KEYS = ['response_schema', 'answer_schema', 'input_schema', 'json_schema', 'schema'] as const;

/**
 * Parses the questions and answers of an interrupt payload in the usual formats:
 * - `action_requests` with `review_configs`, as LangChain's human-in-the-loop middleware has it in both languages: a
 *   decision for each;
 * - questions of MCP servers: a form or a page to visit, each accepted, declined or canceled;
 * - `action_request` with `config: { allow_accept, allow_edit, allow_respond, allow_ignore }`, one or a list, as agent
 *   inboxes have it: a response for each;
 * - `allowed: [{ decision, description?, resume }]`;
 * - `options` or `choices`: a list of strings, or of objects with `label` and `value`;
 * - a JSON Schema of the answer.
 */
export function questionsOf(payload: unknown): Questions {
  const asked = readInterruptRequests(payload);
  switch (asked?.kind) {
    case 'decisions': {
      const { requests, editedKey, resume } = asked;
      return { questions: requests.map((request) => decisionQuestion(request, editedKey)), resume };
    }
    case 'inbox':
      return { questions: asked.requests.map(inboxQuestion), resume: asked.resume };
    case 'elicitation':
      return { questions: asked.requests.map(elicitationQuestion), resume: asked.resume };
  }
  const only = Array.isArray(payload) && payload.length === 1 ? payload[0] : payload;
  const form = formOf(answerSchema(only));
  return { questions: [{ ...emptyQuestion, options: optionsOf(only), form }], resume: ([answer]) => answer };
}

/** The answer of an option with the values that the user filled in. Fields outside the form stay unchanged. */
export function fillIn({ answer, asks }: AnswerOption, filled: unknown): unknown {
  return typeof asks === 'string' ? answer : fillAt(answer, asks.path, asks.form, filled);
}

/** The initial values of the form that an option asks for; without a form, the answer of the option. */
export function initialOf({ answer, asks }: AnswerOption): unknown {
  if (typeof asks === 'string') return answer;
  return asks.path.reduce<unknown>((at, name) => (isDictionary(at) ? at[name] : undefined), answer);
}

function fillAt(at: unknown, [name, ...path]: readonly string[], form: Form, filled: unknown): unknown {
  const known = isDictionary(at) ? at : {};
  if (name !== undefined) return { ...known, [name]: fillAt(known[name], path, form, filled) };
  const names = new Set(form.properties.map((property) => property.name));
  // Cleared fields are removed; null stays null.
  const kept = Object.entries(known).filter(([key, value]) => value === null || !names.has(key));
  return { ...Object.fromEntries(kept), ...(isDictionary(filled) ? filled : {}) };
}

function inboxQuestion({ action, args, description, argsSchema, allows }: InboxRequest): Question {
  const edit = { type: 'edit', args: { action, args } };
  const schema = argsSchema ?? schemaOf(args);
  return {
    ...emptyQuestion,
    action: { name: action, args, description },
    options: [
      ...(allows.accept ? [option(l10n.t('Accept'), { type: 'accept', args: null })] : []),
      ...(allows.edit ? [formOption(l10n.t('Edit'), edit, schema, ['args', 'args'])] : []),
      ...(allows.respond
        ? [
            formOption(
              l10n.t('Respond'),
              { type: 'response', args: '' },
              textSchema('args', l10n.t('Response')),
            ),
          ]
        : []),
      ...(allows.ignore ? [option(l10n.t('Ignore'), { type: 'ignore', args: null })] : []),
    ],
  };
}

function decisionQuestion(request: DecisionRequest, editedKey: string): Question {
  const { name, args, description, decisions, argsSchema } = request;
  const optionOf = (decision: string): AnswerOption[] => {
    switch (decision) {
      case 'approve':
        return [option(l10n.t('Approve'), { type: 'approve' })];
      case 'edit': {
        const edit = { type: 'edit', [editedKey]: { name, args } };
        return [formOption(l10n.t('Edit'), edit, argsSchema ?? schemaOf(args), [editedKey, 'args'])];
      }
      case 'reject':
        return [
          formOption(l10n.t('Reject'), { type: 'reject' }, textSchema('message', l10n.t('Reason'), false)),
        ];
      case 'respond':
        return [
          formOption(
            l10n.t('Respond'),
            { type: 'respond', message: '' },
            textSchema('message', l10n.t('Response')),
          ),
        ];
      default:
        // The middleware has no others, and the user can still type any answer.
        return [];
    }
  };
  return { ...emptyQuestion, action: { name, args, description }, options: decisions.flatMap(optionOf) };
}

function elicitationQuestion(elicitation: ElicitationRequest): Question {
  const refusals = [
    option(l10n.t('Decline'), { action: 'decline' }),
    option(l10n.t('Cancel Tool Call'), { action: 'cancel' }),
  ];
  if (elicitation.mode === 'url') return { ...emptyQuestion, elicitation, refusals };
  const { schema } = elicitation;
  const form = formOf(schema);
  // A schema without a form is answered as JSON; one without fields only needs confirmation.
  const accept = { action: 'accept', content: {} };
  const isEmpty =
    isDictionary(schema) &&
    Object.keys(isDictionary(schema.properties) ? schema.properties : {}).length === 0;
  const others: AnswerOption[] = [
    { ...option(l10n.t('Accept'), accept), asks: isEmpty ? 'nothing' : 'json' },
  ];
  return {
    ...emptyQuestion,
    elicitation,
    refusals,
    form,
    options: form === undefined ? others : [],
    answerOfForm: (content) => ({ action: 'accept', content }),
  };
}

/** The fields of a payload that are its options or its form, so they need not be shown. */
export function answerKeys(payload: Dictionary): (string | undefined)[] {
  const hasOptions = optionsOf(payload).length > 0;
  return [hasOptions ? listKey(payload) : undefined, formOf(answerSchema(payload)) && schemaKey(payload)];
}

function schemaKey(payload: Dictionary): string | undefined {
  return SCHEMA_KEYS.find((name) => isDictionary(payload[name]));
}

function listKey(payload: Dictionary): string | undefined {
  return ['allowed', 'options', 'choices'].find((name) => Array.isArray(payload[name]));
}

/** The schema of the answer in a payload, if any. */
function answerSchema(payload: unknown): unknown {
  if (!isDictionary(payload)) return undefined;
  const key = schemaKey(payload);
  return key && payload[key];
}

/** The answers that a payload lists, if any; an allowed decision without a name is left out. */
function optionsOf(payload: unknown): AnswerOption[] {
  if (!isDictionary(payload)) return [];
  const key = listKey(payload);
  const list = key && payload[key];
  if (!Array.isArray(list)) return [];
  return list.flatMap(key === 'allowed' ? fromAllowed : fromChoice);
}

function fromAllowed(value: unknown): AnswerOption[] {
  if (typeof value === 'string') return [option(value, value)];
  if (!isDictionary(value)) return [];
  const decision = value.label ?? value.decision ?? value.name;
  if (typeof decision !== 'string') return [];
  const label = sentenceCase(decision);
  const answer = 'resume' in value ? value.resume : decision;
  // An answer with more fields than the decision is an example, which the user fills in.
  const isExample = isDictionary(answer) && Object.keys(answer).length > 1;
  const schema = value.args_schema ?? answerSchema(value);
  const offered = isExample
    ? formOption(label, answer, schema ?? schemaOf(withoutDecision(answer)))
    : option(label, answer);
  return [{ ...offered, description: textOf(value.description) }];
}

/** The part of an answer that the user fills in: all but the decision, which is made by choosing the option. */
function withoutDecision(answer: Dictionary): Dictionary {
  const names = ['decision', 'type', 'action'].filter((name) => typeof answer[name] === 'string');
  return Object.fromEntries(Object.entries(answer).filter(([name]) => name !== names[0]));
}

function fromChoice(value: unknown): AnswerOption[] {
  if (!isDictionary(value)) return [option(String(value), value)];
  const label = value.label ?? value.name ?? value.title ?? value.value;
  return [option(String(label), 'value' in value ? value.value : value)];
}

function option(label: string, answer: unknown): AnswerOption {
  return { label, description: undefined, answer, asks: 'nothing' };
}

function formOption(
  label: string,
  answer: unknown,
  schema: unknown,
  path: readonly string[] = [],
): AnswerOption {
  const form = formOf(schema);
  return {
    label,
    description: undefined,
    answer,
    asks: form === undefined ? 'json' : { form, path, hasArgs: path.at(-1) === 'args' },
  };
}

/** The schema of an object with one text. */
function textSchema(name: string, title: string, isRequired = true): Dictionary {
  const field = { type: 'string', format: 'multiline', title, ...(isRequired && { minLength: 1 }) };
  return { type: 'object', properties: { [name]: field }, required: isRequired ? [name] : [] };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function sentenceCase(label: string): string {
  return label.charAt(0).toUpperCase() + label.slice(1).replaceAll('_', ' ');
}
