import { isObject } from '../../../process/objects.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { StoredPayloads } from '../database/stored-payloads.ts';
import type { PayloadPlaces } from '../database/traces-schema.ts';
import { ANSWER_ID, type SpanRun } from './span-to-run.ts';

/** When an answer was asked for and had come, in microseconds. */
interface Asked {
  readonly id: string;
  readonly start: number;
  readonly end: number;
}

const SIBLINGS = `SELECT start_time, end_time, payloads FROM runs
  WHERE parent_id = ? AND workspace = ? AND run_type = 'llm' AND total_tokens IS NOT NULL
    AND start_time <= ? AND end_time >= ? LIMIT 200`;

/**
 * The answers of models that count, by the run that their calls are below. Two instrumentations may report a call beside
 * each other, such as OpenLLMetry and Anthropic's own client: then both name the same answer at the same time. Stand-ins for
 * models give each answer the same ID, so the ID alone says nothing.
 */
export class Answers {
  readonly #context: WriterContext;
  readonly #workspace: number;
  /** When the calls of this request were made, by parent. */
  readonly #times: ReadonlyMap<string, Omit<Asked, 'id'>>;
  readonly #byParent = new Map<string, Asked[]>();

  /** @param calls the calls of this request, with the run that each is below. */
  constructor(
    context: WriterContext,
    workspace: number,
    calls: Iterable<{ readonly span: SpanRun; readonly parent: string | undefined }>,
  ) {
    this.#context = context;
    this.#workspace = workspace;
    const times = new Map<string, Omit<Asked, 'id'>>();
    for (const { span, parent } of calls) {
      const asked = askedOf(span);
      if (asked === undefined || parent === undefined) continue;
      const { start, end } = times.get(parent) ?? asked;
      times.set(parent, { start: Math.min(start, asked.start), end: Math.max(end, asked.end) });
    }
    this.#times = times;
  }

  /** Whether another call below the same run has the answer of this one. */
  has(span: SpanRun, parent: string | undefined): boolean {
    const asked = askedOf(span);
    if (asked === undefined || parent === undefined) return false;
    return this.#below(parent).some(
      ({ id, start, end }) => id === asked.id && start <= asked.end && asked.start <= end,
    );
  }

  add(span: SpanRun, parent: string | undefined): void {
    const asked = askedOf(span);
    if (asked !== undefined && parent !== undefined) this.#below(parent).push(asked);
  }

  #below(parent: string): Asked[] {
    const known = this.#byParent.get(parent) ?? this.#readStored(parent);
    this.#byParent.set(parent, known);
    return known;
  }

  #readStored(parent: string): Asked[] {
    const { db, blobs } = this.#context;
    const within = this.#times.get(parent);
    if (within === undefined) return [];
    const stored = new StoredPayloads(db, blobs);
    return db
      .statement(SIBLINGS)
      .all(parent, this.#workspace, within.end, within.start)
      .flatMap(({ start_time, end_time, payloads }) => {
        const { extra }: PayloadPlaces = parseStored(String(payloads));
        const read = extra && stored.readJson(extra);
        const id = isObject(read) && isObject(read.otel) ? read.otel[ANSWER_ID] : undefined;
        return typeof id === 'string' ? [{ id, start: Number(start_time), end: Number(end_time) }] : [];
      });
  }
}

function askedOf({ answer, start, end }: SpanRun): Asked | undefined {
  return answer === undefined || end === undefined ? undefined : { id: answer, start, end };
}
