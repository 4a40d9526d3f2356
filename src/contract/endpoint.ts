import type { z } from 'zod';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call an endpoint.
 * - `none`: no credentials are needed (health, documentation).
 * - `presigned`: the address itself is the credential, and pages of any origin may use it (feedback links).
 * - `api-key`: `x-api-key` or a bearer token; `x-tenant-id` chooses among the key's workspaces.
 * - `api-key-alone`: the same, but no workspace need be chosen.
 * - `api-key-owner`: the key of the machine's own clients alone, for what reaches beyond a workspace.
 * - `deployment`: what the deployment requires: nothing for the agent of an open folder, a key for the others.
 */
export type Credentials = 'none' | 'presigned' | 'api-key' | 'api-key-alone' | 'api-key-owner' | 'deployment';

/**
 * What a key may be given. None includes another.
 * - `trace`: write spans and feedback, of all projects or of those that the key names.
 * - `run`: call agent servers, and sign in at OAuth providers for their users.
 * - `read`: read everything of the workspace but what agent servers keep.
 * - `write`: change and delete projects, traces, datasets, experiments, feedback configurations, rules and shares.
 * - `deploy`: make, change and delete deployments, and what they are deployed with.
 * - `admin`: keys, the workspace itself, and how long its data is kept.
 */
export const RIGHTS = ['trace', 'run', 'read', 'write', 'deploy', 'admin'] as const;
export type Right = (typeof RIGHTS)[number];

/** What a project's own `auth` handlers are asked for (public SDK, `Auth.on`). */
export type Permission =
  | { readonly on: 'assistants'; readonly action: 'create' | 'read' | 'update' | 'delete' | 'search' }
  | {
      readonly on: 'threads';
      readonly action: 'create' | 'read' | 'update' | 'delete' | 'search' | 'create_run';
    }
  | { readonly on: 'crons'; readonly action: 'create' | 'read' | 'update' | 'delete' | 'search' }
  | { readonly on: 'store'; readonly action: 'put' | 'get' | 'search' | 'delete' | 'list_namespaces' };

/** Who may call an endpoint. An endpoint that says too little does not compile. */
type Access =
  | { readonly credentials: 'none' | 'presigned' }
  | {
      readonly credentials: 'api-key' | 'api-key-alone';
      /** What the key must be allowed; `any` for every key. */
      readonly right: Right | 'any';
    }
  | { readonly credentials: 'api-key-owner'; readonly right: 'owner' }
  | {
      readonly credentials: 'deployment';
      readonly right: Right;
      /** What the project's own `auth` is asked for; `authenticated` for everybody whom it lets in. */
      readonly auth: Permission | 'authenticated';
    };

type EndpointBase = Access & {
  readonly method: Method;
  /** The path as docs/interface writes it, parameters in braces. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
};

/** JSON in, JSON out. `null` as a response means an empty body. */
export type JsonEndpoint = EndpointBase & {
  readonly kind: 'json';
  readonly body?: z.ZodType;
  readonly responses: Readonly<Record<number, z.ZodType | null>>;
};

/** JSON in, server-sent events out. */
export type EventStreamEndpoint = EndpointBase & {
  readonly kind: 'event-stream';
  readonly body?: z.ZodType;
};

/** A multipart body that is read as it arrives; `parts` says in words what it may hold. JSON out. */
export type MultipartEndpoint = EndpointBase & {
  readonly kind: 'multipart';
  readonly parts: string;
  readonly responses: Readonly<Record<number, z.ZodType | null>>;
};

/** Anything else over HTTP: pages, metrics, bodies that are passed through. */
export type RawEndpoint = EndpointBase & {
  readonly kind: 'raw';
  /** JSON; without it the handler reads what is sent. */
  readonly body?: z.ZodType;
  readonly contentType: string;
};

export type WebSocketEndpoint = EndpointBase & {
  readonly kind: 'websocket';
};

export type Endpoint =
  | JsonEndpoint
  | EventStreamEndpoint
  | MultipartEndpoint
  | RawEndpoint
  | WebSocketEndpoint;

/** One area's endpoints by name. */
export type EndpointTable = Readonly<Record<string, Endpoint>>;

/** Declares an endpoint; the identity function, for its inferred type. */
export function endpoint<const E extends Endpoint>(declaration: E): E {
  return declaration;
}

type OutputOf<E, Part extends string> = E extends { readonly [P in Part]: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : undefined;
type InputOf<E, Part extends string> = E extends { readonly [P in Part]: infer Schema extends z.ZodType }
  ? z.input<Schema>
  : undefined;

/** The input of the server's handler: validated, defaults filled in. */
export type Params<E extends Endpoint> = OutputOf<E, 'params'>;
export type Query<E extends Endpoint> = OutputOf<E, 'query'>;
export type Body<E extends Endpoint> = OutputOf<E, 'body'>;

/** The input of a client's call: before validation, defaults left out. */
export type ParamsInput<E extends Endpoint> = InputOf<E, 'params'>;
export type QueryInput<E extends Endpoint> = InputOf<E, 'query'>;
export type BodyInput<E extends Endpoint> = InputOf<E, 'body'>;

type Responses<E> = E extends { readonly responses: infer R } ? R[keyof R] : never;

/** A success body as the server makes it, and as the client reads it; `undefined` for an empty one. */
export type Answer<E extends Endpoint> =
  | (Responses<E> extends infer R ? (R extends z.ZodType ? z.input<R> : never) : never)
  | (null extends Responses<E> ? undefined : never);
export type AnswerRead<E extends Endpoint> =
  | (Responses<E> extends infer R ? (R extends z.ZodType ? z.output<R> : never) : never)
  | (null extends Responses<E> ? undefined : never);

/** The names of a path's parameters, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
}

/** Fills in a path's parameters, each encoded as one segment. */
export function fillPath(path: string, params: Readonly<Record<string, unknown>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
}
