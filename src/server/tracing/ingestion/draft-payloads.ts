import type { JsonObject } from '../../../contract/fields.ts';
import { isObject } from '../../../process/objects.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { StoredPayloads } from '../database/stored-payloads.ts';
import type { PayloadPlace } from '../database/traces-schema.ts';
import { wordsRow } from '../database/word-index.ts';
import { determineUsage } from '../runs/call-cost.ts';
import { isModelCall } from '../runs/model-calls.ts';
import type { Payload } from './payloads.ts';
import { type RunDraft, settleStatus } from './run-draft.ts';
import type { StoredRuns } from './stored-runs.ts';
import type { OpenTrace, TraceWriter } from './trace-writer.ts';

interface DraftPayloadsOptions {
  readonly workspaceId: string;
  /** Whether the usage of a run counts, by the run's ID; the type of a run decides if it is not listed. */
  readonly counted: ReadonlyMap<string, boolean> | undefined;
  readonly stored: StoredRuns;
  readonly traces: TraceWriter;
  /** Returns the trace of a run, if it exists or was begun by this request. */
  readonly traceOf: (draft: RunDraft) => OpenTrace;
}

/** Stores the payloads of one request's runs, and derives the runs' status, usage and cost from them. */
export class DraftPayloads {
  readonly #context: WriterContext;
  readonly #options: DraftPayloadsOptions;
  /** The parsed `extra` of runs, by ID, if this request has it. */
  readonly #extras = new Map<string, JsonObject>();
  #stored: StoredPayloads | undefined;

  constructor(context: WriterContext, options: DraftPayloadsOptions) {
    this.#context = context;
    this.#options = options;
  }

  /**
   * Stores the payloads of a run.
   * @param how.replaces whether these payloads replace earlier ones; if false, the earlier ones are kept.
   * @param how.stated the status that the request states for the run.
   */
  add(
    draft: RunDraft,
    payloads: readonly Payload[],
    { replaces, stated }: { replaces: boolean; stated?: RunDraft['status'] | undefined },
  ): void {
    let failed = draft.status === 'error';
    let outputs: unknown;
    let metadata: unknown;
    for (const payload of payloads) {
      const { kind, value } = payload;
      const before = draft.places[kind];
      if (before !== undefined && !replaces) continue;
      if (before !== undefined) {
        const { key: run, session } = draft;
        this.#context.words.remove({ run, session, kind, place: before });
      }
      draft.places[kind] = this.#store(draft, payload);
      if (kind === 'error') failed = typeof value === 'string' ? value !== '' : value !== null;
      else if (kind === 'outputs') outputs = value;
      else if (kind === 'extra' && isObject(value)) {
        metadata = value.metadata;
        this.#extras.set(draft.id, value);
      }
    }
    const { counted } = this.#options;
    if (counted?.get(draft.id) ?? isModelCall(draft.runType)) this.#noteUsage(draft, metadata, outputs);
    settleStatus(draft, stated, failed);
  }

  /** Whether this request contains the metadata of a run, which may be empty. */
  hasMetadataOf({ id }: RunDraft): boolean {
    return this.#extras.has(id);
  }

  /** The metadata of a run, which determines its labels; undefined if this request does not contain it. */
  metadataOf({ id }: RunDraft): unknown {
    return this.#extras.get(id)?.metadata;
  }

  #noteUsage(draft: RunDraft, metadata: unknown, outputs: unknown): void {
    const { workspaceId, stored, traces, traceOf } = this.#options;
    const extra = () => this.#extraOf(draft);
    const { startTime } = draft;
    const trace = traceOf(draft);
    // A run is priced by its own project, which may differ from its trace's.
    const { name } = draft.session === trace.session.key ? trace.session : stored.findSession(draft.session);
    const project = { workspaceId, name };
    const known = determineUsage(this.#context.prices, { metadata, outputs, extra, startTime, project });
    if (known === undefined) return;
    traces.addUsage(trace, known.usage, draft.usage);
    draft.usage = known.usage;
    draft.priced = known.priced;
  }

  #extraOf({ id, places: { extra } }: RunDraft): unknown {
    const { db, blobs } = this.#context;
    const known = this.#extras.get(id);
    if (known !== undefined || !extra) return known;
    // The reader is kept, because a block has the payloads of many runs.
    this.#stored ??= new StoredPayloads(db, blobs);
    return this.#stored.readJson(extra);
  }

  #store(draft: RunDraft, payload: Payload): PayloadPlace {
    const row = wordsRow(draft.key, payload.kind);
    const { staged, object } = payload.part;
    if (staged === undefined) return this.#context.blocks.add(draft.trace, payload.bytes, row);
    const trace = this.#options.traceOf(draft);
    const file = { staged, object, isText: row !== undefined };
    return {
      blob: this.#context.blobs.keep(file, trace.ttlDays, draft.traceId),
      length: payload.part.length,
      ...(row === undefined ? {} : { noted: this.#context.blocks.noteSearchable(draft.trace, row) }),
    };
  }
}
