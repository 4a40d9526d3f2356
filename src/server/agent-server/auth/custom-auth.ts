import type { IncomingMessage } from 'node:http';
import type { Endpoint, Permission } from '../../../contract/endpoint.ts';
import { JsonObject } from '../../../contract/fields.ts';
import { ConnectionClosedError, RpcError } from '../../../runtime/protocol/connection.ts';
import type { AuthRefusal } from '../../../runtime/protocol/protocol.ts';
import type { Caller } from '../../http/caller.ts';
import type { AuthorizedCall } from '../../http/dispatch.ts';
import { forbidden, HttpError } from '../../http/errors.ts';
import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import { RuntimeUnavailableError } from '../../runtimes/runtime-errors.ts';
import type { RuntimeConnection } from '../../runtimes/runtime-process.ts';
import { bodyAfter, eventValue } from './event-value.ts';
import { isOwned, type OwnedResources, ownedFields } from './owned-resources.ts';

/** The project's own `auth`: its handlers in the graph runtime authenticate and authorize callers. */
export class CustomAuthentication {
  readonly #runtime: DeploymentRuntime;
  readonly #resources: OwnedResources;

  constructor(runtime: DeploymentRuntime, resources: OwnedResources) {
    this.#runtime = runtime;
    this.#resources = resources;
  }

  get isOn(): boolean {
    return this.#runtime.project?.config.auth?.path !== undefined;
  }

  /** The caller with its user. @throws HttpError as the project's handler says. */
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
    return user === undefined ? caller : { ...caller, user };
  }

  /**
   * Authorizes a request with the project's handlers. Filters they return are applied: created resources get
   * them as metadata, searches are limited to them, and other resources are not found.
   * @throws HttpError
   */
  async authorize(endpoint: Endpoint, call: AuthorizedCall): Promise<void> {
    const { user } = call.caller;
    if (!this.isOn || user === undefined || !('auth' in endpoint) || endpoint.auth === 'authenticated')
      return;
    const permission = endpoint.auth;
    if (endpoint.path === '/runs/batch' && Array.isArray(call.body))
      return this.#authorizeEach(endpoint, call, call.body);
    const answer = await this.#decide(permission, user, eventValue(endpoint, permission, call));
    const body = JsonObject.safeParse(call.body).data;
    if (body !== undefined) call.body = bodyAfter(endpoint, permission, body, answer.value);
    const { filters } = answer;
    if (filters !== undefined && Object.keys(filters).length > 0)
      await this.#apply(permission, call, filters);
  }

  /**
   * The filters on the metadata of a resource for an action of a user.
   * @throws HttpError when the project's handlers refuse.
   */
  async askForFilters(user: Caller['user'], permission: Permission, value: JsonObject): Promise<JsonObject> {
    if (user === undefined) return {};
    return (await this.#decide(permission, user, value)).filters ?? {};
  }

  /** Handlers are called for each run of a batch. */
  async #authorizeEach(endpoint: Endpoint, call: AuthorizedCall, bodies: unknown[]): Promise<void> {
    const decided: unknown[] = [];
    for (const body of bodies) {
      const one = { ...call, body };
      await this.authorize(endpoint, one);
      decided.push(one.body);
      call.caller = one.caller;
    }
    call.body = decided;
  }

  async #decide(permission: Permission, user: NonNullable<Caller['user']>, value: JsonObject) {
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
    return answer;
  }

  async #apply(permission: Permission, call: AuthorizedCall, filters: JsonObject): Promise<void> {
    const { on, action } = permission;
    if (on === 'store') throw forbidden('Auth handlers for the store cannot return filters.');
    call.caller = { ...call.caller, owned: ownedFields(filters), filters };
    const body = JsonObject.safeParse(call.body).data;
    if (action === 'create' || action === 'search') {
      const metadata = JsonObject.safeParse(body?.metadata).data;
      call.body = { ...body, metadata: { ...metadata, ...ownedFields(filters) } };
    }
    const found = await this.#resources.readMetadata(permission, call);
    if (!found.every((metadata) => isOwned(metadata, filters))) throw new HttpError(404, 'Not found.');
  }

  async #ask<Result>(question: (connection: RuntimeConnection) => Promise<Result>): Promise<Result> {
    try {
      const generation = await this.#runtime.ready();
      return await generation.with('auth').use(question);
    } catch (error) {
      if (error instanceof RuntimeUnavailableError) throw new HttpError(503, error.message);
      if (error instanceof ConnectionClosedError)
        throw new HttpError(503, 'The graph runtime stopped unexpectedly. Try again.');
      if (error instanceof RpcError) throw new HttpError(500, `auth failed: ${error.message}`);
      throw error;
    }
  }
}

/** Without langgraph.json it is unknown whether the project has `auth`, so all requests are refused. */
export function refuseUnreadable(reason?: unknown): never {
  const why = reason instanceof RuntimeUnavailableError ? ` ${reason.message}` : '';
  throw new HttpError(503, `Requests are refused because langgraph.json could not be read.${why}`);
}

function toError({ status, message }: AuthRefusal): HttpError {
  return new HttpError(status, message);
}
