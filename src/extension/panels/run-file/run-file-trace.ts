import { basename } from 'node:path';
import { Feedback } from '../../../contract/tracing/feedback.ts';
import { RunRead } from '../../../contract/tracing/runs.ts';
import { isObject } from '../../../process/objects.ts';
import type { Kinds, RunFileHead } from '../../../replay/run-file.ts';
import {
  type LinePlace,
  readLineAt,
  type ScannedLine,
  scanRunFile,
} from '../../../run-files/scan-run-file.ts';
import { millisecondsOf } from '../../../terms/times.ts';
import { type GivenFeedback, toGivenFeedback } from '../feedback.ts';
import type { Span, SpanDetails, SpanStatus } from '../trace/messages.ts';
import { limitPayload, toDetails } from '../trace/read-details.ts';
import { toSpan } from '../trace/read-spans.ts';
import { FileRequests } from './file-requests.ts';
import { statusOfEnd } from './status-of-end.ts';

const KINDS: Kinds = new Set(['agentrun', 'run', 'exchange', 'run_end', 'thread', 'span', 'feedback']);
const SavedSpan = RunRead.partial();

/**
 * A run file as a trace: its thread, and below it the spans of its runs. Payloads are read on demand; only
 * their places in the file are kept in memory.
 */
export class RunFileTrace {
  /** The first line of the file, once it has been read. */
  head: RunFileHead | undefined;
  /** The ID of the row above the traces of the runs. */
  #threadId = 'thread';
  readonly #path: string;
  /** The places of spans in the file, by ID. */
  readonly #spans = new Map<string, LinePlace>();
  readonly #requests: FileRequests;
  /** The tasks of nodes whose own span was read. */
  readonly #tasks = new Set<string>();
  /** Feedback by the ID of its span. */
  readonly #feedback = new Map<string, GivenFeedback[]>();
  #firstRun: LinePlace | undefined;
  #lastEnd: LinePlace | undefined;
  /** The status of the last run that ended; an error if none did. */
  #status: SpanStatus = 'error';
  #start: number | undefined;
  #end: number | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#requests = new FileRequests(path);
  }

  /** How many requests have been read. */
  get requestCount(): number {
    return this.#requests.count;
  }

  /**
   * Reads the spans in the order of the file, each node with its requests, and the thread last.
   * @throws RunFileError while iterating
   */
  async *readSpans(): AsyncGenerator<Span, void, undefined> {
    for await (const scanned of scanRunFile(this.#path, KINDS)) {
      const span = this.#add(scanned);
      if (span === undefined) continue;
      yield span;
      yield* this.#requestsOf(span, scanned);
    }
    const thread = this.#threadRow();
    yield* this.#requests.takeRest(thread);
    yield thread;
  }

  /** Reads the payloads of a row. @throws RunFileError if the file has changed since its spans were read */
  async readDetails(id: string): Promise<SpanDetails> {
    if (id === this.#threadId) return this.#readThread();
    if (this.#requests.has(id)) return this.#readRequest(id);
    return toDetails(await this.#readSpan(id), this.#feedback.get(id) ?? []);
  }

  /**
   * The name, error, inputs and outputs of a span, a request with its response, or the values of the thread.
   * @throws RunFileError
   */
  async readPayload(id: string): Promise<unknown> {
    if (id === this.#threadId) return this.#readValues();
    if (this.#requests.has(id)) return this.#requests.readPayload(id);
    const { inputs, outputs, name, error } = await this.#readSpan(id);
    return { name, error, inputs, outputs };
  }

  /** Notes a line of the file. @returns the row of a span */
  #add({ kind, place, line }: ScannedLine): Span | undefined {
    if (kind === 'exchange_part') this.#requests.addPart(place);
    switch (line?.kind) {
      case 'agentrun':
        this.head = line;
        return undefined;
      case 'exchange':
        this.#requests.add(line, place);
        return undefined;
      case 'run':
        this.#firstRun ??= place;
        return undefined;
      case 'run_end':
        this.#lastEnd = place;
        this.#status = statusOfEnd(line);
        return undefined;
      case 'thread':
        // Spans refer to the thread by this ID, so it must not change once a span has been read.
        if (this.#spans.size === 0) this.#threadId = line.thread.thread_id;
        return undefined;
      case 'feedback':
        this.#addFeedback(line.feedback);
        return undefined;
      case 'span':
        return this.#addSpan(line.span, place);
      default:
        return undefined;
    }
  }

  #addSpan(saved: unknown, place: LinePlace): Span | undefined {
    const read = SavedSpan.safeParse(saved);
    const span = read.success ? toSpan(read.data) : undefined;
    // A span without an ID or a start, or in an unknown form, has no place on the time axis.
    if (span === undefined) return undefined;
    this.#spans.set(span.id, place);
    this.#start = Math.min(this.#start ?? span.start, span.start);
    this.#end = Math.max(this.#end ?? span.start, span.end ?? span.start);
    return span.parent === undefined ? { ...span, parent: this.#threadId } : span;
  }

  /**
   * Takes the requests of a task when its own span is read. The spans below that one name the task too, but
   * come later.
   */
  #requestsOf(span: Span, { line }: ScannedLine): Iterable<Span> {
    const read = line?.kind === 'span' ? SavedSpan.safeParse(line.span) : undefined;
    const metadata = read?.data?.extra?.metadata;
    if (!isObject(metadata)) return [];
    const { langgraph_checkpoint_ns: task } = metadata;
    if (typeof task !== 'string' || this.#tasks.has(task)) return [];
    this.#tasks.add(task);
    return this.#requests.takeFor(span, metadata);
  }

  #addFeedback(saved: unknown): void {
    const read = Feedback.safeParse(saved);
    const run_id = isObject(saved) ? saved.run_id : undefined;
    // Feedback without a run, or in an unknown form, has no place in the trace.
    if (!read.success || typeof run_id !== 'string') return;
    this.#feedback.set(run_id, [...(this.#feedback.get(run_id) ?? []), toGivenFeedback(read.data)]);
  }

  /** The row of the thread, above the traces of its runs. */
  #threadRow(): Span {
    const created = millisecondsOf(this.head?.created_at) ?? 0;
    return {
      id: this.#threadId,
      name: basename(this.#path, '.agentrun'),
      type: 'thread',
      status: this.#status,
      start: this.#start ?? created,
      end: this.#end ?? created,
    };
  }

  async #readSpan(id: string) {
    const place = this.#spans.get(id);
    const line = place && (await readLineAt(this.#path, place));
    return SavedSpan.parse(line?.kind === 'span' ? line.span : {});
  }

  async #readRequest(id: string): Promise<SpanDetails> {
    const { inputs, outputs, error, metadata } = await this.#requests.readContents(id);
    const details = toDetails({ id, error, extra: { metadata } }, []);
    return { ...details, inputs: limitPayload(inputs), outputs: limitPayload(outputs) };
  }

  /** The first input and the last values of the thread. */
  async #readThread(): Promise<SpanDetails> {
    const first = this.#firstRun && (await readLineAt(this.#path, this.#firstRun));
    const input = first?.kind === 'run' ? (first.input ?? first.command) : undefined;
    const details = toDetails({ id: this.#threadId }, []);
    return { ...details, inputs: limitPayload(input), outputs: limitPayload(await this.#readValues()) };
  }

  async #readValues(): Promise<unknown> {
    const last = this.#lastEnd && (await readLineAt(this.#path, this.#lastEnd));
    return last?.kind === 'run_end' ? last.values : undefined;
  }
}
