import { isDictionary } from './messages.ts';

/** One answer that an interrupt's payload offers. */
export interface InterruptOption {
  readonly label: string;
  readonly description: string | undefined;
  readonly resume: unknown;
  /** Whether the value is only a pattern that a person has to fill in. */
  readonly isPattern: boolean;
}

/** Where payloads carry the JSON Schema of the answer they want. */
export const schemaKeys = [
  'response_schema',
  'answer_schema',
  'input_schema',
  'json_schema',
  'schema',
] as const;

/** The schema that a payload says its answer has, if it does. */
export function answerSchema(payload: unknown): unknown {
  if (!isDictionary(payload)) return undefined;
  const key = schemaKeys.find((name) => isDictionary(payload[name]));
  return key === undefined ? undefined : payload[key];
}

/**
 * The answers that a payload offers, in the ways graphs usually say it:
 * - `allowed: [{ decision, description?, resume }]`;
 * - `options` or `choices`: a list of texts, or of objects with `label` and `value`;
 * - `action_requests` with `review_configs[].allowed_decisions`, as LangChain's human-in-the-loop middleware has it;
 * - `config: { allow_accept, allow_edit, allow_respond, allow_ignore }` of agent inboxes.
 */
export function interruptOptions(payload: unknown): InterruptOption[] {
  if (Array.isArray(payload) && payload.length === 1) return interruptOptions(payload[0]);
  if (!isDictionary(payload)) return [];
  if (Array.isArray(payload.allowed)) return payload.allowed.flatMap(fromAllowed);
  if (Array.isArray(payload.action_requests))
    return fromMiddleware(payload.action_requests, payload.review_configs);
  if (isDictionary(payload.config)) return fromInbox(payload.config, payload.action_request);
  for (const list of [payload.options, payload.choices])
    if (Array.isArray(list)) return list.flatMap(fromChoice);
  return [];
}

function fromAllowed(value: unknown): InterruptOption[] {
  if (typeof value === 'string') return [option(value, value)];
  if (!isDictionary(value)) return [];
  const label = value.label ?? value.decision ?? value.name;
  if (typeof label !== 'string') return [];
  const description = typeof value.description === 'string' ? value.description : undefined;
  const resume = 'resume' in value ? value.resume : label;
  // What says more than the decision itself has a text in it that only a person knows.
  const isPattern = isDictionary(resume) && Object.keys(resume).length > 1;
  return [{ label: sentenceCase(label), description, resume, isPattern }];
}

function fromChoice(value: unknown): InterruptOption[] {
  if (!isDictionary(value)) return [option(String(value), value)];
  const label = value.label ?? value.name ?? value.title ?? value.value;
  return [option(String(label), 'value' in value ? value.value : value)];
}

function fromMiddleware(requests: readonly unknown[], configs: unknown): InterruptOption[] {
  const config = Array.isArray(configs) ? configs.find(isDictionary) : undefined;
  const allowed = Array.isArray(config?.allowed_decisions) ? config.allowed_decisions : ['approve', 'reject'];
  const all = (decision: unknown) => ({ decisions: requests.map(() => decision) });
  return allowed.flatMap((decision): InterruptOption[] => {
    switch (decision) {
      case 'approve':
        return [option('Approve', all({ type: 'approve' }))];
      case 'reject':
        return [pattern('Reject', all({ type: 'reject', message: '' }))];
      case 'edit': {
        const decisions = requests.map((request) => ({ type: 'edit', edited_action: request }));
        return [pattern('Edit', { decisions })];
      }
      default:
        return [];
    }
  });
}

function fromInbox(config: Readonly<Record<string, unknown>>, request: unknown): InterruptOption[] {
  const args = isDictionary(request) ? request : null;
  return [
    ...(config.allow_accept === true ? [option('Accept', [{ type: 'accept', args: null }])] : []),
    ...(config.allow_edit === true ? [pattern('Edit', [{ type: 'edit', args }])] : []),
    ...(config.allow_respond === true ? [pattern('Respond', [{ type: 'response', args: '' }])] : []),
    ...(config.allow_ignore === true ? [option('Ignore', [{ type: 'ignore', args: null }])] : []),
  ];
}

function option(label: string, resume: unknown): InterruptOption {
  return { label, description: undefined, resume, isPattern: false };
}

function pattern(label: string, resume: unknown): InterruptOption {
  return { ...option(label, resume), isPattern: true };
}

function sentenceCase(label: string): string {
  return label.charAt(0).toUpperCase() + label.slice(1).replaceAll('_', ' ');
}
