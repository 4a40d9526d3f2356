import type { Exchange, Place } from '../../../contract/agent-server/exchanges.ts';
import type { BodyChunks } from '../../../process/body-text.ts';
import { requestBody, responseBody } from '../../../run-files/exchange-bodies.ts';
import { maskedPlaces } from '../../../run-files/masked-places.ts';
import { type LinePlace, readLineAt } from '../../../run-files/scan-run-file.ts';
import type { Span } from '../trace/messages.ts';

/** The type of rows that are requests. */
const REQUEST_TYPE = 'request';
/** The lowest HTTP status that means failure. */
const FIRST_ERROR_STATUS = 400;

/** A row below which requests are shown. */
interface ParentRow {
  readonly id: string;
  readonly start: number;
}

/** A request in a file, without its bodies. */
interface Request {
  readonly id: string;
  readonly place: LinePlace;
  /** The places of the parts of its body that were too long for one line. */
  readonly parts: LinePlace[];
  readonly name: string;
  /** Identifies the task that sent it, see {@link taskKey}. */
  readonly sender: string;
  readonly status: Span['status'];
  readonly error: string | undefined;
  readonly times: Exchange['times'];
  /** Whether its row was taken. */
  isTaken: boolean;
}

/** A request with its bodies. */
interface RequestContents {
  readonly inputs: unknown;
  readonly outputs: unknown;
  readonly error: string | undefined;
  /** Method, address, status, headers, and where secrets were replaced. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The requests of a run file as rows below the nodes that sent them; their bodies are read on demand. */
export class FileRequests {
  readonly #path: string;
  readonly #requests = new Map<string, Request>();
  readonly #bySender = new Map<string, Request[]>();
  #last: Request | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  get count(): number {
    return this.#requests.size;
  }

  has(id: string): boolean {
    return this.#requests.has(id);
  }

  add(exchange: Exchange, place: LinePlace): void {
    const { run_id, ordinal, request, response, error, times } = exchange;
    const host = URL.parse(request.url)?.host ?? request.url;
    const isFailed = error !== undefined || (response?.status ?? 0) >= FIRST_ERROR_STATUS;
    const added: Request = {
      id: `request:${run_id}:${ordinal}`,
      place,
      parts: [],
      name: [`${request.method} ${host}`, response?.status].filter(Boolean).join(' · '),
      sender: taskKey(exchange.place),
      status: isFailed ? 'error' : 'success',
      error: error?.message,
      times,
      isTaken: false,
    };
    this.#requests.set(added.id, added);
    this.#bySender.set(added.sender, [...(this.#bySender.get(added.sender) ?? []), added]);
    this.#last = added;
  }

  /** Adds a part of the previous request's body, which was too long for one line. */
  addPart(place: LinePlace): void {
    this.#last?.parts.push(place);
  }

  /**
   * Takes the requests that a task of a node sent, as rows below its span: those between its start and its
   * end, or all that are left if the file does not say when they were sent.
   */
  *takeFor(span: Span, metadata: Readonly<Record<string, unknown>>): Generator<Span, void, undefined> {
    const { langgraph_checkpoint_ns: namespace, langgraph_path: path } = metadata;
    if (typeof namespace !== 'string') return;
    const names = namespace.split('|').map((part) => part.split(':')[0]);
    const task = Array.isArray(path) ? path.map(String).join(',') : '';
    const sender = taskKey({ node: names.join('|'), task });
    for (const request of this.#bySender.get(sender) ?? []) {
      if (!request.isTaken && isWithin(request, span)) yield take(request, span);
    }
  }

  /** Takes the requests that no span has taken, as rows below `top`. */
  *takeRest(top: ParentRow): Generator<Span, void, undefined> {
    for (const request of this.#requests.values()) if (!request.isTaken) yield take(request, top);
  }

  /**
   * Reads the bodies and metadata of a request.
   * @throws RunFileError if the file has changed since it was scanned
   */
  async readContents(id: string): Promise<RequestContents> {
    const { exchange, outputs, inputs } = await this.#read(id);
    const { request, response, error, place } = exchange;
    const headers = (list: readonly (readonly [string, string])[] = []) => Object.fromEntries(list);
    const redacted = [
      ...maskedPlaces(request.url, 'url'),
      ...maskedPlaces(headers(request.headers), 'request headers'),
      ...maskedPlaces(inputs, 'request body'),
      ...maskedPlaces(headers(response?.headers), 'response headers'),
      ...maskedPlaces(outputs, 'response body'),
    ];
    const metadata = {
      method: request.method,
      url: request.url,
      ...(response === null ? {} : { status: response.status }),
      ...(place.node === '' ? {} : { node: place.node }),
      ...(redacted.length === 0 ? {} : { redacted }),
      request_headers: headers(request.headers),
      ...(response === null ? {} : { response_headers: headers(response.headers) }),
    };
    return { inputs, outputs, error: error?.message, metadata };
  }

  /** Reads a request and its response with their bodies. @throws RunFileError */
  async readPayload(id: string): Promise<unknown> {
    const { exchange, inputs, outputs } = await this.#read(id);
    const { request, response, error } = exchange;
    return {
      request: { ...request, body: inputs },
      response: response && { status: response.status, headers: response.headers, body: outputs },
      error,
    };
  }

  async #read(id: string): Promise<{ exchange: Exchange; inputs: unknown; outputs: unknown }> {
    const request = this.#requests.get(id);
    const line = request && (await readLineAt(this.#path, request.place));
    if (line?.kind !== 'exchange') throw new Error(`There is no request ${id} in this file.`);
    const parts: BodyChunks[] = [];
    for (const place of request?.parts ?? []) {
      const part = await readLineAt(this.#path, place);
      if (part.kind === 'exchange_part') parts.push(part);
    }
    const outputs = line.response === null ? undefined : responseBody(line.response, parts);
    return { exchange: line, inputs: requestBody(line.request), outputs };
  }
}

/** The place as a key of a map. */
function taskKey({ node, task }: Place): string {
  return `${node}\n${task}`;
}

/** Whether a request was sent during a span; also true if the time is unknown. */
function isWithin({ times }: Request, { start, end }: Span): boolean {
  if (times === undefined) return true;
  // The times of spans have fractions of milliseconds; the times of requests are rounded.
  return times.start >= start - 1 && (end === undefined || times.start <= end + 1);
}

/** Marks a request as taken, and returns its row. */
function take(request: Request, parent: ParentRow): Span {
  request.isTaken = true;
  const { id, name, status, error, times } = request;
  const start = times?.start ?? parent.start;
  return {
    id,
    parent: parent.id,
    name,
    type: REQUEST_TYPE,
    status,
    start,
    end: times?.end ?? start,
    ...(error !== undefined && { error }),
  };
}
