import type {
  AuthenticateParams,
  AuthenticateResult,
  AuthorizeParams,
  AuthorizeResult,
  AuthRefusal,
  AuthUser,
} from '../../protocol/protocol.ts';
import { GraphLoadError, ReturnValueError } from '../errors/runtime-error.ts';
import { isRecord } from '../langgraph-types.ts';
import type { Extras } from './extras.ts';

/** Calls the handlers of `auth.path`, the public SDK's `Auth` object, which authenticate and authorize callers. */
export class CustomAuth {
  readonly #extras: Extras;
  constructor(extras: Extras) {
    this.#extras = extras;
  }

  /** @throws GraphLoadError */
  async load(): Promise<void> {
    await this.#requireHandlers();
  }

  /** @throws ReturnValueError for a result that is not a user; the handler's own errors, unless they are refusals. */
  async authenticate({ method, url, headers }: AuthenticateParams): Promise<AuthenticateResult> {
    const { authenticate } = await this.#requireHandlers();
    if (typeof authenticate !== 'function') return { user: ANONYMOUS };
    try {
      return { user: toUser(await authenticate(new Request(url, { method, headers }))) };
    } catch (error) {
      return { refused: toRefusal(error) };
    }
  }

  /** @throws ReturnValueError for an unknown result; the handler's own errors, unless they are refusals. */
  async authorize(params: AuthorizeParams): Promise<AuthorizeResult> {
    const { callbacks } = await this.#requireHandlers();
    const { resource, action, user, value } = params;
    const handler = isRecord(callbacks) ? find(callbacks, resource, action) : undefined;
    if (handler === undefined) return { value };
    const event = `${resource}:${action}`;
    const permissions = user.permissions;
    let answer: unknown;
    try {
      answer = await handler({
        event,
        resource,
        action,
        value,
        permissions,
        user: { ...user.fields, identity: user.identity, permissions },
      });
    } catch (error) {
      return { value, refused: toRefusal(error) };
    }
    if (answer === false) return { value, refused: { status: 403, message: 'Forbidden' } };
    if (answer === true || answer === undefined || answer === null) return { value };
    if (!isRecord(answer) || Array.isArray(answer)) {
      throw new ReturnValueError(
        `The auth handler of ${event} returned ${JSON.stringify(answer)}. It must return filters, a boolean or nothing.`,
      );
    }
    // JSON leaves out undefined fields, and a missing filter would show everything.
    const filters = Object.entries(answer).map(([field, wanted]) => [field, wanted ?? null]);
    return { value, filters: Object.fromEntries(filters) };
  }

  async #requireHandlers(): Promise<Record<string, unknown>> {
    const auth = await this.#extras.load('auth');
    const handlers = isRecord(auth) ? auth['~handlerCache'] : undefined;
    if (!isRecord(handlers)) throw new GraphLoadError('auth.path must point to an Auth object of the SDK.');
    return handlers;
  }
}

const ANONYMOUS: AuthUser = { identity: 'anonymous', permissions: [], fields: {} };

/** Finds the most specific handler. */
function find(callbacks: Record<string, unknown>, resource: string, action: string) {
  for (const name of [`${resource}:${action}`, resource, `*:${action}`, '*']) {
    const handler = callbacks[name];
    if (typeof handler === 'function') return handler;
  }
  return undefined;
}

function toUser(answer: unknown): AuthUser {
  if (typeof answer === 'string') return { identity: answer, permissions: [], fields: { identity: answer } };
  if (!isRecord(answer) || typeof answer.identity !== 'string') {
    throw new ReturnValueError('The authenticate handler must return a user with an identity.');
  }
  const permissions = Array.isArray(answer.permissions) ? answer.permissions.map(String) : [];
  return { identity: answer.identity, permissions, fields: { ...answer } };
}

/**
 * Converts an error with the status of a failure, such as the SDK's HTTPException, to a refusal.
 * @throws other errors again, because a handler that fails has not decided (`docs/agent-server.md`).
 */
function toRefusal(error: unknown): AuthRefusal {
  if (isRecord(error) && typeof error.status === 'number' && error.status >= 400 && error.status < 600) {
    const headers = isHttpException(error) ? headersOf(error.headers) : [];
    return {
      status: error.status,
      message: String(error.message ?? 'Refused'),
      ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    };
  }
  throw error;
}

/**
 * Whether an error is the SDK's HTTPException, or of a class derived from it. The headers of other errors may be those of
 * another service's response, such as its cookies. The project has its own copy of the SDK, so the class is known by name.
 */
function isHttpException(error: object): boolean {
  for (let at: unknown = error; isRecord(at); at = Object.getPrototypeOf(at)) {
    if (typeof at.constructor === 'function' && at.constructor.name === 'HTTPException') return true;
  }
  return false;
}

/** The headers of an exception, which may be in any form that `fetch` accepts. */
function headersOf(headers: unknown): [string, string][] {
  if (!isRecord(headers)) return [];
  const entries =
    headers instanceof Headers || Array.isArray(headers) ? [...headers] : Object.entries(headers);
  return entries.map(([name, value]) => [String(name), String(value)]);
}
