import type {
  Divergence,
  Exchange,
  RecordedRequest,
  ReplayReport,
} from '../../../contract/agent-server/exchanges.ts';
import { canonicalRequest, hashRequest } from '../../../replay/canonical-request.ts';
import { compareRequests, distanceBetween } from '../../../replay/compare-requests.ts';
import { describeDivergence } from '../../../replay/divergence-text.ts';
import { isEmbedding, kindOfRequest } from '../../../replay/kind-of-request.ts';
import { maskRequest } from '../../../replay/mask-exchange.ts';
import { Recording, type ReplayedRequest } from '../../../replay/recording.ts';
import type {
  ExchangeAnswer,
  ExchangeAnswerParams,
  ExchangeChunks,
  ExchangeReadPartParams,
} from '../../../runtime/protocol/protocol.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { Unit } from '../../storage/unit.ts';
import type { ExchangeEntry, ExchangeStore } from '../data/exchange-store.ts';
import type { ReplayStore, StoredReport } from '../data/replay-store.ts';
import type { RunKwargs } from '../data/run-kwargs.ts';
import type { LiveRun } from '../runs/live-run.ts';
import type { LiveRuns } from '../runs/live-runs.ts';
import type { MasksOfRuns } from './run-masks.ts';

/**
 * The maximum number of recorded requests that are compared with a request that was not recorded, or reported
 * as unused.
 */
const MAX_COMPARED = 50;

export interface ReplaysOptions {
  readonly db: Pick<StateDatabase, 'outlasting'>;
  readonly live: LiveRuns;
  readonly exchanges: ExchangeStore;
  readonly masks: MasksOfRuns;
  readonly reports: ReplayStore;
}

/** A run whose requests are answered from a recording. */
interface Replaying {
  readonly threadId: string;
  readonly options: NonNullable<RunKwargs['replay']>;
  readonly recording: Recording<ExchangeEntry>;
  /** The number of requests answered from the recording. */
  answered: number;
  /** The number of requests sent. */
  live: number;
  divergence: Divergence | null;
}

/**
 * Answers the requests of replayed runs from their recordings, and reports where each diverged from its
 * recording.
 */
export class Replays {
  readonly #options: ReplaysOptions;
  /** Replays of runs that have not ended. */
  readonly #byRun = new Map<string, Replaying>();

  constructor(options: ReplaysOptions) {
    this.#options = options;
  }

  /**
   * Answers a request: from the recording, or with `live` if the run may send it, otherwise with `refused`.
   */
  async answer({ run_id, place, request }: ExchangeAnswerParams): Promise<ExchangeAnswer> {
    const run = this.#options.live.find(run_id);
    const options = run?.identity.kwargs.replay;
    const replaying = this.#byRun.get(run_id);
    if (run === undefined || options == null || replaying === undefined) {
      return { answer: 'refused', message: `Run ${run_id} has ended, or is not a replay.` };
    }
    const masked = maskRequest(request, this.#options.masks.of(run).request);
    if (options.tools === 'live' && kindOfRequest(masked) === 'tool') {
      replaying.live++;
      return { answer: 'live' };
    }
    const asked = { place, hash: hashRequest(canonicalRequest(masked)) };
    const found = replaying.recording.take(asked);
    if (found === undefined) {
      const answer = await this.#answerUnrecorded(replaying, asked, masked);
      if (answer.answer === 'live' && kindOfRequest(masked) === 'model' && !isEmbedding(masked))
        run.sentModelCalls++;
      return answer;
    }
    const exchange = await this.#read(replaying, found.ordinal);
    if (exchange === undefined) {
      return { answer: 'refused', message: `Request ${found.ordinal + 1} of the recording was deleted.` };
    }
    replaying.answered++;
    const { response, error } = exchange;
    return {
      answer: 'recorded',
      ordinal: found.ordinal,
      ...(response === null ? {} : { response }),
      ...(error === undefined ? {} : { error }),
    };
  }

  /** A part of a recorded body. @throws Error when the run has ended, or the part was deleted */
  async readPart({ run_id, ordinal, part }: ExchangeReadPartParams): Promise<ExchangeChunks> {
    const replaying = this.#byRun.get(run_id);
    const place = { run_id: replaying?.options.run_id ?? '', ordinal, part };
    const found = replaying && (await this.#options.exchanges.readPart(replaying.threadId, place));
    if (found === undefined) throw new Error(`Part ${part} of request ${ordinal + 1} was deleted.`);
    return { encoding: found.encoding, chunks: found.chunks };
  }

  /**
   * The report of a replay, so far or at its end, with at most `MAX_COMPARED` unused requests; undefined for
   * a run that is not a replay.
   */
  async readReport(threadId: string, runId: string): Promise<ReplayReport | undefined> {
    const { exchanges, reports } = this.#options;
    const replaying = this.#byRun.get(runId);
    const found = replaying === undefined ? await reports.read(threadId, runId) : summarize(replaying);
    if (found === undefined || (replaying !== undefined && replaying.threadId !== threadId)) return undefined;
    const { recorded_run_id, answered, live, divergence } = found;
    const unused: ReplayReport['unused'] = [];
    for (const { ordinal, place } of found.unused) {
      const exchange = await exchanges.read(threadId, recorded_run_id, ordinal);
      if (exchange !== undefined) unused.push({ ordinal, place, request: exchange.request });
    }
    return { answered, live, divergence, unused };
  }

  /** Opens a replay before its run begins, so that a run that sends no requests also gets a report. */
  async begin(run: LiveRun): Promise<void> {
    const { runId, threadId, kwargs } = run.identity;
    const options = kwargs.replay;
    // Another attempt continues with the rest of the recording.
    if (options == null || this.#byRun.has(runId)) return;
    const entries = await this.#options.exchanges.list(threadId, options.run_id);
    const recording = new Recording(entries);
    this.#byRun.set(runId, { threadId, options, recording, answered: 0, live: 0, divergence: null });
    void run.outcome.then(() => this.#byRun.delete(runId));
  }

  /** Stores the report of a replay, with the end of its run. */
  end(unit: Unit, { identity: { runId, threadId } }: LiveRun): void {
    const replaying = this.#byRun.get(runId);
    if (replaying !== undefined) this.#options.reports.put(unit, threadId, runId, summarize(replaying));
  }

  /** Reads an answer for a graph that is waiting for it. */
  #read({ threadId, options }: Replaying, ordinal: number): Promise<Exchange | undefined> {
    const { db, exchanges } = this.#options;
    return db.outlasting(() => exchanges.read(threadId, options.run_id, ordinal));
  }

  /** Answers a request that was not recorded: the run diverges from its recording. */
  async #answerUnrecorded(
    replaying: Replaying,
    asked: ReplayedRequest,
    request: RecordedRequest,
  ): Promise<ExchangeAnswer> {
    const divergence = await this.#findDivergence(replaying, asked, request);
    replaying.divergence ??= divergence;
    if (!replaying.options.allow_new) return { answer: 'refused', message: describeDivergence(divergence) };
    replaying.live++;
    return { answer: 'live' };
  }

  /** Compares a request that was not recorded with the recorded requests. */
  async #findDivergence(
    replaying: Replaying,
    asked: ReplayedRequest,
    request: RecordedRequest,
  ): Promise<Divergence> {
    const { recording, answered } = replaying;
    const found = { place: asked.place, after: answered, request };
    if (recording.isSpent(asked.hash)) return { ...found, repeated: true, nearest: null, differences: [] };
    let nearest: Divergence['nearest'] = null;
    let least = Number.POSITIVE_INFINITY;
    for (const { ordinal, place } of recording.candidates(asked).slice(0, MAX_COMPARED)) {
      const exchange = await this.#read(replaying, ordinal);
      if (exchange === undefined) continue;
      const penalty = place.node === asked.place.node ? 0 : 1;
      const distance = distanceBetween(exchange.request, request) + penalty;
      if (distance >= least) continue;
      least = distance;
      nearest = { ordinal, place, request: exchange.request };
    }
    const differences = nearest === null ? [] : compareRequests(nearest.request, request);
    return { ...found, repeated: false, nearest, differences };
  }
}

function summarize({ options, recording, answered, live, divergence }: Replaying): StoredReport {
  const unused = recording.unused.slice(0, MAX_COMPARED).map(({ ordinal, place }) => ({ ordinal, place }));
  return { recorded_run_id: options.run_id, answered, live, divergence, unused };
}
