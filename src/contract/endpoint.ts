import type { z } from 'zod';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * The credentials that a caller needs.
 * - `none`: no credentials are needed (health, documentation).
 * - `presigned`: the address itself is the credential, and pages of any origin may use it (feedback links).
 * - `api-key`: `x-api-key` or a bearer token; `x-tenant-id` chooses among the key's workspaces.
 * - `api-key-alone`: the same, but without choosing a workspace.
 * - `deployment`: what the deployment requires: nothing for the agent of an open folder, a key for the others.
 */
export type Credentials = Access['credentials'];

/** The rights that a key may be given. None includes another. */
export const RIGHTS = ['trace', 'run', 'read', 'write', 'sign-in', 'deploy', 'admin'] as const;
export type Right = (typeof RIGHTS)[number];

/** The meaning of each right. */
export const RIGHT_MEANINGS: Readonly<Record<Right, string>> = {
  trace: 'write spans and feedback to all projects, or to those of the key',
  run: 'call agent servers: assistants, threads, runs, crons and the store',
  read: 'read everything else in the workspace',
  write: 'change and delete projects, traces, datasets, experiments, rules, shared links and user sign-ins',
  'sign-in': 'get OAuth tokens for users of agents',
  deploy:
    "create, change and delete deployments, which runs code on the server's machine, and read their files",
  admin: 'manage keys, the workspace and data retention',
};

/** A right, any key at all, or the key of the machine's owner. */
export type RequiredRight = Right | 'any' | 'owner';

/** A question to the handlers of a project's own `auth` (public SDK, `Auth.on`). */
export type AuthQuestion =
  | { readonly on: 'assistants'; readonly action: 'create' | 'read' | 'update' | 'delete' | 'search' }
  | {
      readonly on: 'threads';
      readonly action: 'create' | 'read' | 'update' | 'delete' | 'search' | 'create_run';
    }
  | { readonly on: 'crons'; readonly action: 'create' | 'read' | 'update' | 'delete' | 'search' }
  | { readonly on: 'store'; readonly action: 'put' | 'get' | 'search' | 'delete' | 'list_namespaces' };

/**
 * The questions to the project's own `auth` before a request. The questions of a list are asked one after the other.
 * - `each run`: `threads.create_run`, for each run that a request makes, asked by the code that makes the
 * run.
 * - `authenticated`: nothing; every user whom the project's `auth` admits may do it.
 */
export type AuthQuestions = AuthQuestion | readonly AuthQuestion[] | 'each run' | 'authenticated';

/** The credentials and rights that callers of an endpoint need. A declaration without them does not compile. */
export type Access =
  | { readonly credentials: 'none' | 'presigned' }
  | {
      readonly credentials: 'api-key' | 'api-key-alone';
      /** The right that the key must have. */
      readonly right: RequiredRight;
    }
  | {
      readonly credentials: 'deployment';
      /** The right that the key must have, if the deployment requires a key. */
      readonly right: Right;
      readonly auth: AuthQuestions;
    };

type EndpointBase = Access & {
  readonly method: Method;
  /** The path as docs/interface writes it, with its parameters in braces. */
  readonly path: `/${string}`;
  readonly summary: string;
  /** Whether only the exact path is served, without repeated slashes, because proxies block the endpoint by its path. */
  readonly hasOneSpelling?: true;
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

/** A multipart body that is read as it arrives; `parts` describes in words what it may contain. JSON out. */
export type MultipartEndpoint = EndpointBase & {
  readonly kind: 'multipart';
  readonly parts: string;
  readonly responses: Readonly<Record<number, z.ZodType | null>>;
};

/** Anything else over HTTP: pages, metrics, bodies that are passed through. */
export type RawEndpoint = EndpointBase & {
  readonly kind: 'raw';
  /** The schema of a JSON body; without it, the handler reads the body itself. */
  readonly body?: z.ZodType;
  readonly contentType: string;
  /** Content types of other forms that a request can ask for; the handler sets them. */
  readonly otherContentTypes?: readonly string[];
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

/** Declares an endpoint. Returns it unchanged, so that TypeScript infers its exact type. */
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
