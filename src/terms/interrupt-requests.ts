/**
 * The one reader of interrupts in the forms of LangChain, agent inboxes and MCP. The run panel and the agent
 * server's MCP endpoint ask people the same questions, and answer graphs in the same way.
 */

import { type Dictionary, isDictionary } from './fields.ts';

/** An action that waits for a decision, in the form of LangChain's human-in-the-loop middleware. */
export interface DecisionRequest {
  readonly name: string;
  readonly args: Dictionary;
  readonly description: string | undefined;
  /** The allowed decisions, such as `approve`, `edit` and `reject`. */
  readonly decisions: readonly string[];
  readonly argsSchema: unknown;
}

/** An action that waits for a response, in the form of agent inboxes. */
export interface InboxRequest {
  readonly action: string;
  readonly args: Dictionary;
  readonly description: string | undefined;
  readonly argsSchema: unknown;
  readonly allows: { readonly [A in 'accept' | 'edit' | 'respond' | 'ignore']: boolean };
}

/** A question of an MCP server: a form, or a page to visit. */
export type ElicitationRequest = {
  readonly message: string;
  /** The tool whose call waits, if known. */
  readonly toolName: string | undefined;
} & ({ readonly mode: 'form'; readonly schema: unknown } | { readonly mode: 'url'; readonly url: string });

/** All answers to an elicitation that a graph accepts. */
export type ElicitationReply =
  | { readonly action: 'accept'; readonly content?: unknown }
  | { readonly action: 'decline' | 'cancel' };

/** The requests of an interrupt, and a function that makes its resume value from their answers, in order. */
export type InterruptRequests =
  | {
      readonly kind: 'decisions';
      readonly requests: readonly DecisionRequest[];
      /** The field of an edit that contains the changed action. */
      readonly editedKey: 'edited_action' | 'editedAction';
      readonly resume: (decisions: readonly unknown[]) => unknown;
    }
  | {
      readonly kind: 'inbox';
      readonly requests: readonly InboxRequest[];
      readonly resume: (responses: readonly unknown[]) => unknown;
    }
  | {
      readonly kind: 'elicitation';
      readonly requests: readonly ElicitationRequest[];
      readonly resume: (replies: readonly unknown[]) => unknown;
    };

const DEFAULT_DECISIONS = ['approve', 'reject'];

/** Python's names first, then JavaScript's. */
const DIALECTS = [
  {
    requests: 'action_requests',
    reviews: 'review_configs',
    reviewed: 'action_name',
    allowed: 'allowed_decisions',
    schema: 'args_schema',
    editedKey: 'edited_action',
  },
  {
    requests: 'actionRequests',
    reviews: 'reviewConfigs',
    reviewed: 'actionName',
    allowed: 'allowedDecisions',
    schema: 'argsSchema',
    editedKey: 'editedAction',
  },
] as const;

/** Reads the payload of an interrupt; `undefined` when it has another form. */
export function readInterruptRequests(payload: unknown): InterruptRequests | undefined {
  return readElicitations(payload) ?? readDecisions(payload) ?? readInbox(payload);
}

function readDecisions(payload: unknown): InterruptRequests | undefined {
  if (!isDictionary(payload)) return undefined;
  const dialect = DIALECTS.find(({ requests }) => Array.isArray(payload[requests]));
  if (dialect === undefined) return undefined;
  const reviews = dictionariesOf(payload[dialect.reviews]);
  const requests = readAll(payload[dialect.requests], (request): DecisionRequest | undefined => {
    const { name, args = {}, description } = request;
    if (typeof name !== 'string' || !isDictionary(args)) return undefined;
    const review = reviews.find((each) => each[dialect.reviewed] === name) ?? {};
    const allowed = review[dialect.allowed];
    const isAllowed = Array.isArray(allowed) && allowed.length > 0 && allowed.every(isText);
    return {
      name,
      args,
      description: textOf(description),
      decisions: isAllowed ? allowed : DEFAULT_DECISIONS,
      argsSchema: review[dialect.schema] ?? request[dialect.schema],
    };
  });
  const { editedKey } = dialect;
  return requests && { kind: 'decisions', requests, editedKey, resume: (decisions) => ({ decisions }) };
}

function readInbox(payload: unknown): InterruptRequests | undefined {
  const items: readonly unknown[] = Array.isArray(payload) ? payload : [payload];
  const requests = readAll(items, (request): InboxRequest | undefined => {
    const { action_request: asked, config, description } = request;
    if (!isDictionary(asked) || !isDictionary(config)) return undefined;
    const { action, args = {} } = asked;
    if (typeof action !== 'string' || !isDictionary(args)) return undefined;
    return {
      action,
      args,
      description: textOf(description),
      argsSchema: asked.args_schema ?? request.args_schema ?? config.args_schema,
      allows: {
        accept: config.allow_accept === true,
        edit: config.allow_edit === true,
        respond: config.allow_respond === true,
        ignore: config.allow_ignore === true,
      },
    };
  });
  return requests && { kind: 'inbox', requests, resume: (responses) => responses };
}

/**
 * Reads elicitations in two forms. `{mode?, message, requestedSchema | url}` is answered with one reply;
 * with `type: "mcp_elicitation"`, it may have a `response_schema` instead. LangChain's `{tool_name,
 * requests}` is answered with the replies by the keys of the requests.
 */
function readElicitations(payload: unknown): InterruptRequests | undefined {
  if (!isDictionary(payload)) return undefined;
  const toolName = textOf(payload.tool_name) ?? textOf(payload.toolName);
  const isMarked = payload.type === 'mcp_elicitation';
  if ((isMarked || toolName !== undefined) && Array.isArray(payload.requests)) {
    const keys = dictionariesOf(payload.requests).map(({ key }) => textOf(key));
    const requests = readAll(payload.requests, (request) => readElicitation(request, toolName, true));
    return requests && { kind: 'elicitation', requests, resume: (replies) => byKey(keys, replies) };
  }
  const only = readElicitation(payload, toolName, isMarked);
  return only && { kind: 'elicitation', requests: [only], resume: ([reply]) => reply };
}

/** @param isMarked whether the payload says that it is an elicitation; more names of its schema count then */
function readElicitation(
  { mode = 'form', message, url, ...rest }: Dictionary,
  toolName: string | undefined,
  isMarked: boolean,
): ElicitationRequest | undefined {
  if (typeof message !== 'string') return undefined;
  if (mode === 'url') return typeof url === 'string' ? { mode, message, toolName, url } : undefined;
  // Another payload with a `response_schema` is not an elicitation, because it is answered with only the
  // content.
  const schema =
    rest.requestedSchema ?? (isMarked ? (rest.requested_schema ?? rest.response_schema) : undefined);
  return mode === 'form' && schema !== undefined ? { mode, message, toolName, schema } : undefined;
}

/**
 * The resume value for replies to requests with these keys. If a key is missing, it is the list of replies
 * in the order of the requests, or the only reply.
 */
function byKey(keys: readonly (string | undefined)[], replies: readonly unknown[]): unknown {
  if (keys.includes(undefined)) return replies.length === 1 ? replies[0] : replies;
  return { responses: Object.fromEntries(keys.map((key, at) => [key, replies[at]])) };
}

/** Reads each item; `undefined` when one of them is invalid, or there are none. */
function readAll<Item>(
  items: unknown,
  read: (item: Dictionary) => Item | undefined,
): readonly Item[] | undefined {
  if (!Array.isArray(items) || items.length === 0) return undefined;
  const found = items.flatMap((item: unknown) => (isDictionary(item) ? (read(item) ?? []) : []));
  return found.length === items.length ? found : undefined;
}

function dictionariesOf(value: unknown): Dictionary[] {
  return Array.isArray(value) ? value.filter(isDictionary) : [];
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
