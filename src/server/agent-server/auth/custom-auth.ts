import { type IncomingMessage, validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod';
import type { AuthQuestion, AuthQuestions, Endpoint } from '../../../contract/endpoint.ts';
import { JsonObject } from '../../../contract/fields.ts';
import { RpcError } from '../../../runtime/protocol/connection.ts';
import type { AuthRefusal, AuthUser } from '../../../runtime/protocol/protocol.ts';
import type { Caller } from '../../http/caller.ts';
import type { ValidatedCall } from '../../http/dispatch.ts';
import { HttpError } from '../../http/errors.ts';
import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import type { LogBook } from '../../runtimes/output/log-book.ts';
import { RuntimeUnavailableError } from '../../runtimes/process/runtime-errors.ts';
import type { RuntimeConnection } from '../../runtimes/process/runtime-process.ts';
import { newId } from '../data/new-id.ts';
import { asUnavailable } from '../runtime/ask-runtime.ts';
import { changedParts, eventValue, hasField, type Schemas } from './event-value.ts';
import { asItemFilter, asMetadata, type Filters, matchesFilters, readFilters } from './filters.ts';
import { HandlerError } from './handler-error.ts';
import type { OwnedResources } from './owned-resources.ts';

/** The stack of an error in the project's code, if the runtime sent one. */
const Failure = z.object({ stack: z.string().optional().catch(undefined) }).catch({});

type User = NonNullable<Caller['user']>;

/** The handlers' decision on a request. */
interface Decision {
  readonly value: JsonObject;
  readonly filters: Filters;
}

/** The project's own `auth`: its handlers in the graph runtime authenticate and authorize callers. */
export class CustomAuthentication {
  readonly #runtime: DeploymentRuntime;
  readonly #resources: OwnedResources;
  readonly #log: Pick<LogBook, 'write'>;

  constructor(runtime: DeploymentRuntime, resources: OwnedResources, log: Pick<LogBook, 'write'>) {
    this.#runtime = runtime;
    this.#resources = resources;
    this.#log = log;
  }

  /** Whether the project has its own `auth`. */
  get isOn(): boolean {
    return this.#runtime.project?.config.auth?.path !== undefined;
  }

  /**
   * The caller with the user that the project's handler returns.
   * @throws HttpError when that handler refuses the request.
   */
  async authenticate(request: IncomingMessage, caller: Caller): Promise<Caller> {
    const { user, refused } = await this.#ask((connection) =>
      connection.request('auth.authenticate', {
        method: request.method ?? 'GET',
        url: `http://${request.headers.host ?? 'localhost'}${request.url ?? '/'}`,
        headers: Object.entries(request.headers).flatMap(([name, value]) =>
          typeof value === 'string' ? [[name, value] satisfies [string, string]] : [],
        ),
      }),
    );
    if (refused !== undefined) throw toError(refused);
    return user === undefined ? caller : { ...caller, user: completeUser(user) };
  }

  /**
   * Authorizes a request with the project's handlers. Applies their changes to the request, and the filters
   * that they return: created resources get the filters as metadata, and searches and other requests only
   * find resources that match them.
   * @throws HttpError when they refuse; HandlerError for changes or filters that cannot be applied.
   */
  async authorize(endpoint: Endpoint, call: ValidatedCall): Promise<void> {
    const { user } = call.caller;
    if (!this.isOn || user === undefined || !('auth' in endpoint)) return;
    const schemas = schemasOf(endpoint);
    for (const permission of permissionsOf(endpoint.auth)) {
      assignId(permission, schemas, call);
      const before = eventValue(permission, schemas, call);
      const { value: after, filters } = await this.ask(user, permission, before);
      Object.assign(
        call,
        this.checked(() => changedParts(permission, schemas, call, { before, after })),
      );
      await this.#apply(permission, call, { value: after, filters });
    }
  }

  /**
   * The filters that apply to the metadata of resources when a user performs an action.
   * @throws HttpError when the project's handlers refuse; HandlerError for unknown filters.
   */
  async askForFilters(user: Caller['user'], permission: AuthQuestion, value: JsonObject): Promise<Filters> {
    return user === undefined ? {} : (await this.ask(user, permission, value)).filters;
  }

  /**
   * Asks the project's handlers.
   * @returns the value with their changes, and the filters that they returned.
   * @throws HttpError when they refuse; HandlerError for unknown filters.
   */
  async ask(user: User, permission: AuthQuestion, value: JsonObject): Promise<Decision> {
    const { identity, permissions, fields } = user;
    const answer = await this.#ask((connection) =>
      connection.request('auth.authorize', {
        resource: permission.on,
        action: permission.action,
        user: { identity, permissions: [...permissions], fields: { ...fields } },
        value,
      }),
    );
    if (answer.refused !== undefined) throw toError(answer.refused);
    return { value: answer.value, filters: this.checked(() => readFilters(permission, answer.filters)) };
  }

  /**
   * Calls `read`, which interprets the handlers' answer. If it throws a HandlerError, this is also written
   * to the deployment's log.
   */
  checked<Result>(read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      if (error instanceof HandlerError) this.#log.write('ERROR', error.message);
      throw error;
    }
  }

  async #apply(permission: AuthQuestion, call: ValidatedCall, { value, filters }: Decision): Promise<void> {
    const { on, action } = permission;
    const body = JsonObject.safeParse(call.body).data;
    if (on === 'store') {
      // For other operations, handlers check the namespace.
      if (action === 'search') {
        const filter = JsonObject.safeParse(body?.filter).data ?? {};
        call.body = { ...body, filter: asItemFilter(filters, filter) };
      }
      return;
    }
    if (action === 'create') {
      const ownerMetadata = { ...JsonObject.safeParse(value.metadata).data, ...asMetadata(filters) };
      call.caller = { ...call.caller, ownerMetadata };
    }
    if (Object.keys(filters).length === 0) return;
    if (action === 'create' || action === 'search') {
      const metadata = JsonObject.safeParse(body?.metadata).data;
      call.body = { ...body, metadata: { ...metadata, ...asMetadata(filters) } };
    }
    const found = await this.#resources.readMetadata(permission, call);
    if (!found.every((metadata) => matchesFilters(metadata, filters))) throw new HttpError(404, 'Not found.');
  }

  async #ask<Result>(question: (connection: RuntimeConnection) => Promise<Result>): Promise<Result> {
    try {
      const generation = await this.#runtime.ready();
      return await generation.runtimeOfExtra('auth').use(question);
    } catch (error) {
      if (!(error instanceof RpcError)) throw asUnavailable(error);
      // The reason is not for callers, who may be strangers.
      const { stack } = Failure.parse(error.data);
      this.#log.write('ERROR', `auth failed: ${stack ?? error.message}`);
      throw new HttpError(500, 'The auth of this project failed. The log of the deployment says why.');
    }
  }
}

/**
 * Refuses a request, because without langgraph.json it is unknown whether the project has `auth`.
 * @throws HttpError 503
 */
export function refuseUnreadable(reason?: unknown): never {
  const why = reason instanceof RuntimeUnavailableError ? ` ${reason.message}` : '';
  throw new HttpError(503, `Requests are refused because langgraph.json could not be read.${why}`);
}

/** The user with the fields that the public SDK's users have (`BaseUser`). */
function completeUser({ identity, permissions, fields }: AuthUser): User {
  const { display_name, is_authenticated, ...own } = fields;
  return {
    identity,
    permissions,
    fields: {
      ...own,
      identity,
      permissions,
      is_authenticated: is_authenticated ?? true,
      display_name: display_name ?? identity,
    },
  };
}

/**
 * The permissions for which handlers authorize a request before its endpoint is called. Runs are authorized later, where
 * they are created.
 */
function permissionsOf(asked: AuthQuestions): readonly AuthQuestion[] {
  if (asked === 'each run' || asked === 'authenticated') return [];
  return 'on' in asked ? [asked] : asked;
}

function schemasOf(endpoint: Endpoint): Schemas {
  const { params, query } = endpoint;
  return { params, query, body: 'body' in endpoint ? endpoint.body : undefined };
}

/** Gives a new resource its ID before handlers see it, because they may store the ID. */
function assignId({ on, action }: AuthQuestion, { body: schema }: Schemas, call: ValidatedCall): void {
  const idField = { threads: 'thread_id', assistants: 'assistant_id' }[String(on)];
  const body = JsonObject.safeParse(call.body).data;
  if (action !== 'create' || idField === undefined || body === undefined) return;
  if (hasField(schema, idField) && body[idField] == null) call.body = { ...body, [idField]: newId() };
}

/** Headers that the server sets itself, because they describe the body or the connection. */
const OWN_HEADERS =
  /^(?:connection|keep-alive|trailer|transfer-encoding|upgrade|vary|x-request-id|content-.*|access-control-.*)$/i;

function toError({ status, message, headers = {} }: AuthRefusal): HttpError {
  const sent = Object.entries(headers).filter(
    ([name, value]) => !OWN_HEADERS.test(name) && isHeader(name, value),
  );
  return new HttpError(status, message, Object.fromEntries(sent));
}

function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
