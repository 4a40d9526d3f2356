import type { z } from 'zod';
import type {
  AnswerRead,
  BodyInput,
  Endpoint,
  EndpointTable,
  EventStreamEndpoint,
  JsonEndpoint,
  ParamsInput,
  RawEndpoint,
} from '../contract/endpoint.ts';
import { fillPath } from '../contract/endpoint.ts';
import { EventStream } from './event-stream.ts';
import { parseAnswer } from './parse-answer.ts';
import { searchOf } from './query-string.ts';
import { readBody } from './read-body.ts';
import type { Answered, CallOptions, Outgoing, Transport } from './transport.ts';

/** A query as text or as values: `'10'` or 10, `'true'` or true, a list. */
type QueryArgument<E> = E extends { readonly query: infer Schema extends z.ZodType }
  ? Either<z.input<Schema>, z.output<Schema>>
  : undefined;
type Either<Wire, Read> = {
  [Name in keyof Wire]: Wire[Name] | (Name extends keyof Read ? Read[Name] : never);
};

/** An argument, which is optional if all of its fields are. */
type Argument<Name extends string, Value> = [Value] extends [undefined]
  ? unknown
  : Record<never, never> extends Value
    ? { readonly [N in Name]?: Value | undefined }
    : { readonly [N in Name]: Value };

/** The parts of a request to an endpoint. */
export type Arguments<E extends Endpoint> = Argument<'params', ParamsInput<E>> &
  Argument<'query', QueryArgument<E>> &
  Argument<'body', BodyInput<E>>;

type Method<E extends Endpoint, Result> =
  Record<never, never> extends Arguments<E>
    ? (args?: Arguments<E>, options?: CallOptions) => Promise<Result>
    : (args: Arguments<E>, options?: CallOptions) => Promise<Result>;

/** The answer of an endpoint that is neither JSON nor a stream. */
interface RawAnswer {
  readonly contentType: string | undefined;
  readonly bytes: Uint8Array;
}

/**
 * The method for an endpoint. It resolves to the parsed JSON, to a `Stream` of events, or to the bytes of other
 * answers.
 */
export type Call<E extends Endpoint, Stream> = E extends EventStreamEndpoint
  ? Method<E, Stream>
  : E extends RawEndpoint
    ? Method<E, RawAnswer>
    : E extends JsonEndpoint
      ? Method<E, AnswerRead<E>>
      : never;

/** A table's endpoints as methods, without multipart and WebSocket endpoints. */
export type Calls<Table extends EndpointTable, Stream = EventStream> = {
  readonly [Name in keyof Table as Table[Name] extends JsonEndpoint | EventStreamEndpoint | RawEndpoint
    ? Name
    : never]: Call<Table[Name], Stream>;
};

/** Creates the stream that a method returns from its first connection. */
export type OpenStream<Stream> = (first: EventStream, answer: Answered, options: CallOptions) => Stream;

interface BindOptions<Table extends EndpointTable, Stream> {
  readonly transport: Transport;
  /** The URL of a path in this table. */
  readonly address: (path: string) => URL;
  readonly stream: OpenStream<Stream>;
  /** Endpoints that have no time limit. */
  readonly noTimeout?: readonly (keyof Table)[];
}

interface AnyArguments {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Turns a table's endpoints into methods; paths and fields come from the table alone. */
export function bind<Table extends EndpointTable, Stream>(
  table: Table,
  { transport, address, stream, noTimeout = [] }: BindOptions<Table, Stream>,
): Calls<Table, Stream> {
  const calls: Record<string, (args?: AnyArguments, options?: CallOptions) => Promise<unknown>> = {};
  for (const [name, endpoint] of Object.entries(table)) {
    const defaults: CallOptions = noTimeout.includes(name) ? { timeoutMs: 0 } : {};
    calls[name] = (args = {}, options = {}) => {
      const outgoing = outgoingFor(endpoint, address, args, { ...defaults, ...options });
      return transport.send(outgoing, async (answer): Promise<unknown> => {
        switch (endpoint.kind) {
          case 'event-stream':
            return stream(new EventStream(answer, outgoing), answer, outgoing.options);
          case 'raw':
            return { contentType: answer.header('content-type'), bytes: await readBody(answer.body) };
          case 'json':
            return readJson(endpoint, outgoing, answer);
          default:
            throw new TypeError(`${name} is a ${endpoint.kind} endpoint and has no method.`);
        }
      });
    };
  }
  // At run time the methods have the shape of the table, as `Calls` describes it.
  return calls as Calls<Table, Stream>;
}

function outgoingFor(
  endpoint: Endpoint,
  address: (path: string) => URL,
  { params, query, body }: AnyArguments,
  options: CallOptions,
): Outgoing {
  const path = fillPath(endpoint.path, params ?? {});
  const url = address(path);
  url.search = searchOf(query ?? {});
  return {
    method: endpoint.method,
    url,
    path,
    accept: endpoint.kind === 'event-stream' ? 'text/event-stream' : 'application/json, */*;q=0.5',
    body: bodyOf(endpoint, body),
    options,
  };
}

/**
 * The body to send. Endpoints with a body always get one, because servers treat a missing body as malformed JSON; a GET
 * gets one only if the caller gives it.
 */
function bodyOf(endpoint: Endpoint, body: unknown): string | undefined {
  if (!('body' in endpoint) || endpoint.body === undefined) return undefined;
  if (body === undefined && endpoint.method === 'GET') return undefined;
  return JSON.stringify(body ?? {});
}

async function readJson(endpoint: JsonEndpoint, outgoing: Outgoing, answer: Answered): Promise<unknown> {
  const text = (await readBody(answer.body)).toString('utf8');
  const schema = schemaFor(endpoint, answer.status);
  const mayBeEmpty = answer.status === 202 || answer.status === 204;
  if (schema === null || (mayBeEmpty && text.trim() === '')) return undefined;
  return parseAnswer(schema, text, outgoing, answer);
}

/** The schema for a status; for a status that the table lacks, the first schema in the table. */
function schemaFor(endpoint: JsonEndpoint, status: number): z.ZodType | null {
  const declared = endpoint.responses[status];
  if (declared !== undefined) return declared;
  return Object.values(endpoint.responses).find((schema) => schema !== null) ?? null;
}
