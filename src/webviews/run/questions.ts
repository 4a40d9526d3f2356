import * as l10n from '@vscode/l10n';
import { isDictionary } from '../../terms/fields.ts';
import { type Form, formOf } from '../shared/form/field.ts';
import { schemaOf } from '../shared/form/schema-of.ts';

/** One answer that a question offers. */
export interface AnswerOption {
  readonly label: string;
  readonly description: string | undefined;
  readonly answer: unknown;
  /** The fields that a person fills in first; `json` when only JSON can say it. */
  readonly asks: 'nothing' | 'json' | AnswerForm;
}

export interface AnswerForm {
  readonly form: Form;
  /** Where in the answer the object is that the form fills in. */
  readonly path: readonly string[];
  /** Whether it is the arguments of the action. */
  readonly hasArgs: boolean;
}

/** An action that needs approval. */
export interface Action {
  readonly name: string;
  readonly args: unknown;
  readonly description: string | undefined;
}

export interface Question {
  readonly action: Action | undefined;
  readonly options: readonly AnswerOption[];
  /** The form of an answer whose schema the payload has. */
  readonly form: Form | undefined;
}

export interface Questions {
  readonly questions: readonly Question[];
  /** The resume value of an interrupt, from its answers in order. */
  readonly resume: (answers: readonly unknown[]) => unknown;
}

/** Where payloads carry the JSON Schema of the answer they want. */
export const SCHEMA_KEYS = [
  'response_schema',
  'answer_schema',
  'input_schema',
  'json_schema',
  'schema',
] as const;

type Dictionary = Readonly<Record<string, unknown>>;

/**
 * Parses the questions and answers of an interrupt payload in the usual formats:
 * - `action_requests` with `review_configs`, as LangChain's human-in-the-loop middleware has it: a decision for each;
 * - `action_request` with `config: { allow_accept, allow_edit, allow_respond, allow_ignore }`, one or a list, as agent
 *   inboxes have it: a response for each;
 * - `allowed: [{ decision, description?, resume }]`;
 * - `options` or `choices`: a list of strings, or of objects with `label` and `value`;
 * - a JSON Schema of the answer.
 */
export function questionsOf(payload: unknown): Questions {
  if (isDictionary(payload) && Array.isArray(payload.action_requests)) {
    const { action_requests, review_configs } = payload;
    return {
      questions: action_requests.map((request) => ofMiddleware(request, review_configs)),
      resume: (decisions) => ({ decisions }),
    };
  }
  const requests: readonly unknown[] = Array.isArray(payload) ? payload : [payload];
  if (requests.length > 0 && requests.every(isInboxRequest))
    return { questions: requests.map(ofInbox), resume: (responses) => responses };
  const only = requests.length === 1 ? requests[0] : payload;
  return {
    questions: [{ action: undefined, options: optionsOf(only), form: formOf(answerSchema(only)) }],
    resume: ([answer]) => answer,
  };
}

/** An option's answer with what a person has filled in; what the form doesn't know stays unchanged. */
export function fillIn({ answer, asks }: AnswerOption, filled: unknown): unknown {
  return typeof asks === 'string' ? answer : fillAt(answer, asks.path, asks.form, filled);
}

/** The initial values of a form. */
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

function isInboxRequest(value: unknown): value is Dictionary {
  return isDictionary(value) && isDictionary(value.action_request) && isDictionary(value.config);
}

function ofInbox(request: Dictionary): Question {
  const config = isDictionary(request.config) ? request.config : {};
  const asked = isDictionary(request.action_request) ? request.action_request : {};
  const args = asked.args ?? {};
  const schema = asked.args_schema ?? request.args_schema ?? config.args_schema ?? schemaOf(args);
  const edit = { type: 'edit', args: { action: asked.action, args } };
  return {
    action: { name: textOf(asked.action) ?? '', args, description: textOf(request.description) },
    form: undefined,
    options: [
      ...(config.allow_accept === true ? [option(l10n.t('Accept'), { type: 'accept', args: null })] : []),
      ...(config.allow_edit === true ? [inForm(l10n.t('Edit'), edit, schema, ['args', 'args'])] : []),
      ...(config.allow_respond === true
        ? [inForm(l10n.t('Respond'), { type: 'response', args: '' }, text('args', l10n.t('Response')))]
        : []),
      ...(config.allow_ignore === true ? [option(l10n.t('Ignore'), { type: 'ignore', args: null })] : []),
    ],
  };
}

function ofMiddleware(request: unknown, configs: unknown): Question {
  const { name, args = {}, description, ...others } = isDictionary(request) ? request : {};
  const reviews = Array.isArray(configs) ? configs.filter(isDictionary) : [];
  const review = reviews.find(({ action_name }) => action_name === name);
  const allowed = Array.isArray(review?.allowed_decisions) ? review.allowed_decisions : ['approve', 'reject'];
  const schema = review?.args_schema ?? others.args_schema ?? schemaOf(args);
  const optionOf = (decision: unknown): AnswerOption[] => {
    switch (decision) {
      case 'approve':
        return [option(l10n.t('Approve'), { type: 'approve' })];
      case 'edit': {
        const edit = { type: 'edit', edited_action: { name, args } };
        return [inForm(l10n.t('Edit'), edit, schema, ['edited_action', 'args'])];
      }
      case 'reject':
        return [inForm(l10n.t('Reject'), { type: 'reject' }, text('message', l10n.t('Reason'), false))];
      case 'respond':
        return [
          inForm(l10n.t('Respond'), { type: 'respond', message: '' }, text('message', l10n.t('Response'))),
        ];
      default:
        return [];
    }
  };
  return {
    action: { name: textOf(name) ?? '', args, description: textOf(description) },
    form: undefined,
    options: allowed.flatMap(optionOf),
  };
}

/** The schema that a payload says its answer has, if it does. */
function answerSchema(payload: unknown): unknown {
  if (!isDictionary(payload)) return undefined;
  const key = SCHEMA_KEYS.find((name) => isDictionary(payload[name]));
  return key === undefined ? undefined : payload[key];
}

function optionsOf(payload: unknown): AnswerOption[] {
  if (!isDictionary(payload)) return [];
  if (Array.isArray(payload.allowed)) return payload.allowed.flatMap(fromAllowed);
  for (const list of [payload.options, payload.choices])
    if (Array.isArray(list)) return list.flatMap(fromChoice);
  return [];
}

function fromAllowed(value: unknown): AnswerOption[] {
  if (typeof value === 'string') return [option(value, value)];
  if (!isDictionary(value)) return [];
  const decision = value.label ?? value.decision ?? value.name;
  if (typeof decision !== 'string') return [];
  const label = sentenceCase(decision);
  const answer = 'resume' in value ? value.resume : decision;
  // An answer that holds more than the decision has something in it that only a person knows.
  const isPattern = isDictionary(answer) && Object.keys(answer).length > 1;
  const schema = value.args_schema ?? answerSchema(value);
  const offered = isPattern
    ? inForm(label, answer, schema ?? schemaOf(withoutDecision(answer)))
    : option(label, answer);
  return [{ ...offered, description: textOf(value.description) }];
}

/** The answer without its decision, which was made by choosing the option; the user fills in the rest. */
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

function inForm(label: string, answer: unknown, schema: unknown, path: readonly string[] = []): AnswerOption {
  const form = formOf(schema);
  return {
    label,
    description: undefined,
    answer,
    asks: form === undefined ? 'json' : { form, path, hasArgs: path.at(-1) === 'args' },
  };
}

function text(name: string, title: string, isRequired = true): Dictionary {
  const field = { type: 'string', format: 'multiline', title, ...(isRequired && { minLength: 1 }) };
  return { type: 'object', properties: { [name]: field }, required: isRequired ? [name] : [] };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function sentenceCase(label: string): string {
  return label.charAt(0).toUpperCase() + label.slice(1).replaceAll('_', ' ');
}
