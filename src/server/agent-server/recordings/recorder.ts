import type { ExchangePart, RecordingLine } from '../../../contract/agent-server/exchanges.ts';
import type { BodyChunks } from '../../../process/body-text.ts';
import { messageOf } from '../../../process/message-of.ts';
import { canonicalRequest, hashRequest } from '../../../replay/canonical-request.ts';
import { kindOfRequest } from '../../../replay/kind-of-request.ts';
import { maskExchange, maskRequest } from '../../../replay/mask-exchange.ts';
import { PartMasker } from '../../../replay/mask-parts.ts';
import type { ExchangeRecordParams, ExchangeRecordPartParams } from '../../../runtime/protocol/protocol.ts';
import type { LogBook } from '../../runtimes/output/log-book.ts';
import { isRefused } from '../../storage/refused.ts';
import type { Unit, Write } from '../../storage/unit.ts';
import type { CommitQueue } from '../data/commit-queue.ts';
import type { ExchangeStore } from '../data/exchange-store.ts';
import type { RunStore } from '../data/run-store.ts';
import type { LiveRun } from '../runs/live-run.ts';
import type { LiveRuns } from '../runs/live-runs.ts';
import type { MasksOfRuns } from './run-masks.ts';

export interface RecorderOptions {
  readonly queue: CommitQueue;
  readonly live: LiveRuns;
  readonly runs: RunStore;
  readonly exchanges: ExchangeStore;
  readonly masks: MasksOfRuns;
  readonly log: Pick<LogBook, 'write'>;
}

/** A long body that is being stored, and how many of its parts have been stored. */
interface LongBody {
  readonly masker: PartMasker;
  stored: number;
}

/** Stores the exchanges of recorded runs, without the secrets in them. */
export class Recorder {
  readonly #options: RecorderOptions;
  /** The long bodies that are being stored, by the ordinals of their exchanges. */
  readonly #bodies = new WeakMap<LiveRun, Map<number, LongBody>>();
  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /**
   * Masks a part of a long body, and stores the previous part. A part waits for the next one, because a
   * secret may extend from one into the other.
   */
  async recordPart({ run_id, ordinal, ...chunks }: ExchangeRecordPartParams): Promise<void> {
    const run = this.#options.live.find(run_id);
    // The run has ended, and its recording with it.
    if (run === undefined) return;
    const bodies = this.#bodies.get(run) ?? new Map<number, LongBody>();
    this.#bodies.set(run, bodies);
    const body = bodies.get(ordinal) ?? {
      masker: new PartMasker(this.#options.masks.of(run).response),
      stored: 0,
    };
    bodies.set(ordinal, body);
    const part = this.#nextPart(run, ordinal, body, body.masker.add(chunks));
    if (part !== undefined) await this.#store(run, (unit) => this.#put(unit, run, part));
  }

  /** Masks and stores an exchange. If it has a long body, its last part is stored too. */
  record({ run_id, ordinal, place, request, response, error, times }: ExchangeRecordParams): void {
    const { live, masks } = this.#options;
    const run = live.find(run_id);
    // The run has ended, and its recording with it.
    if (run === undefined) return;
    const mask = masks.of(run);
    const masked = maskRequest(request, mask.request);
    const exchange = maskExchange(
      {
        kind: 'exchange',
        run_id,
        ordinal,
        place,
        of: kindOfRequest(masked),
        hash: hashRequest(canonicalRequest(masked)),
        request: masked,
        response,
        ...(times === undefined ? {} : { times }),
        ...(error === undefined ? {} : { error }),
      },
      mask.response,
    );
    const body = this.#bodies.get(run)?.get(ordinal);
    this.#bodies.get(run)?.delete(ordinal);
    const last = body && this.#nextPart(run, ordinal, body, body.masker.end(response?.cut === true));
    void this.#store(run, (unit) => {
      this.#put(unit, run, exchange);
      if (last !== undefined) this.#put(unit, run, last);
    });
  }

  /** Numbers the next part to store; undefined while there are no chunks for it. */
  #nextPart(
    { identity }: LiveRun,
    ordinal: number,
    body: LongBody,
    chunks: BodyChunks | undefined,
  ): ExchangePart | undefined {
    if (chunks === undefined) return undefined;
    return { kind: 'exchange_part', run_id: identity.runId, ordinal, part: body.stored++, ...chunks };
  }

  #put(unit: Unit, { identity: { threadId } }: LiveRun, line: RecordingLine): void {
    this.#options.exchanges.put(unit, threadId, line);
  }

  /** Stores a part of a recording. If that fails, the run fails too, because a replay would lack the part. */
  async #store(run: LiveRun, write: Write): Promise<void> {
    const { queue, runs, log } = this.#options;
    const { threadId, runId } = run.identity;
    try {
      await queue.writeForRun(threadId, (unit) => {
        runs.expectStored(unit, runId);
        write(unit);
      });
    } catch (failure) {
      // The run has been deleted, and its recording with it.
      if (isRefused(failure, 'gone')) return;
      run.storageFailure ??= failure;
      log.write('ERROR', `Could not store a recorded request: ${messageOf(failure)}`, runId);
    }
  }
}
