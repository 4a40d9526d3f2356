import type { Divergence, RecordedRequest, ReplayReport } from '../../../contract/agent-server/exchanges.ts';
import { canonicalRequest, hashRequest } from '../../../replay/canonical-request.ts';
import { compareRequests, distanceBetween } from '../../../replay/divergence.ts';
import { describeDivergence } from '../../../replay/divergence-text.ts';
import { kindOfRequest } from '../../../replay/kind-of-request.ts';
import { maskRequest } from '../../../replay/mask-exchange.ts';
import { type Asked, Recording } from '../../../replay/recording.ts';
import type { ExchangeAnswer, ExchangeAnswerParams } from '../../../runtime/protocol/protocol.ts';
import type { LiveRun } from '../runs/live-run.ts';
import type { LiveRuns } from '../runs/live-runs.ts';
import type { RunKwargs } from '../runs/run-kwargs.ts';
import type { ExchangeEntry, ExchangeStore } from './exchange-store.ts';
import type { MasksOfRuns } from './run-masks.ts';

/** Of how many ended replays there is a report. */
const MAX_REPORTS = 1_000;
/** How many recorded requests are compared with one that is not among them. */
const MAX_COMPARED = 50;

export interface ReplaysOptions {
  readonly live: LiveRuns;
  readonly exchanges: ExchangeStore;
  readonly masks: MasksOfRuns;
}

/** A run that is answered from a recording. */
interface Replaying {
  readonly threadId: string;
  readonly options: NonNullable<RunKwargs['replay']>;
  readonly recording: Recording<ExchangeEntry>;
  answered: number;
  live: number;
  divergence: Divergence | null;
}

/** Answers the requests of replayed runs, and knows where each left its recording. */
export class Replays {
  readonly #options: ReplaysOptions;
  readonly #byRun = new Map<string, Promise<Replaying>>();

  constructor(options: ReplaysOptions) {
    this.#options = options;
  }

  /** @returns what the recording answers; refused when it does not, and the run may not ask elsewhere. */
  async answer({ run_id, place, request }: ExchangeAnswerParams): Promise<ExchangeAnswer> {
    const run = this.#options.live.find(run_id);
    const options = run?.identity.kwargs.replay;
    if (run === undefined || options == null) {
      return { answer: 'refused', message: `Run ${run_id} has ended, or is not a replay.` };
    }
    const replaying = await this.#open(run, options);
    const masked = maskRequest(request, this.#options.masks.of(run).request);
    if (options.tools === 'live' && kindOfRequest(masked) === 'tool') {
      replaying.live++;
      return { answer: 'live' };
    }
    const asked = { place, hash: hashRequest(canonicalRequest(masked)) };
    const found = replaying.recording.take(asked);
    if (found === undefined) return this.#leave(replaying, asked, masked);
    const exchange = await this.#options.exchanges.read(replaying.threadId, options.run_id, found.ordinal);
    if (exchange === undefined) {
      return { answer: 'refused', message: `Request ${found.ordinal + 1} of the recording was deleted.` };
    }
    replaying.answered++;
    const { response, error } = exchange;
    return {
      answer: 'recorded',
      ...(response === null ? {} : { response }),
      ...(error === undefined ? {} : { error }),
    };
  }

  /** @returns undefined for a run that is no replay, or was one long ago. */
  async report(threadId: string, runId: string): Promise<ReplayReport | undefined> {
    const run = this.#options.live.find(runId);
    const options = run?.identity.kwargs.replay;
    const replaying =
      run === undefined || options == null ? await this.#byRun.get(runId) : await this.#open(run, options);
    if (replaying === undefined || replaying.threadId !== threadId) return undefined;
    const { answered, live, divergence, recording } = replaying;
    const unused: ReplayReport['unused'] = [];
    for (const { ordinal, place } of recording.unused.slice(0, MAX_COMPARED)) {
      const exchange = await this.#options.exchanges.read(threadId, replaying.options.run_id, ordinal);
      if (exchange !== undefined) unused.push({ ordinal, place, request: exchange.request });
    }
    return { answered, live, divergence, unused };
  }

  /** Opens a replay when its run begins, so that one that asks nothing has a report too. */
  begin(run: LiveRun): void {
    const options = run.identity.kwargs.replay;
    if (options != null) void this.#open(run, options).catch(() => {});
  }

  #open(run: LiveRun, options: NonNullable<RunKwargs['replay']>): Promise<Replaying> {
    const { runId, threadId } = run.identity;
    const known = this.#byRun.get(runId);
    if (known !== undefined) return known;
    const opened = this.#options.exchanges.list(threadId, options.run_id).then((entries) => ({
      threadId,
      options,
      recording: new Recording(entries),
      answered: 0,
      live: 0,
      divergence: null,
    }));
    this.#byRun.set(runId, opened);
    const [oldest] = this.#byRun.keys();
    if (this.#byRun.size > MAX_REPORTS && oldest !== undefined) this.#byRun.delete(oldest);
    return opened;
  }

  async #leave(replaying: Replaying, asked: Asked, request: RecordedRequest): Promise<ExchangeAnswer> {
    const divergence = await this.#describe(replaying, asked, request);
    replaying.divergence ??= divergence;
    if (!replaying.options.allow_new) return { answer: 'refused', message: describeDivergence(divergence) };
    replaying.live++;
    return { answer: 'live' };
  }

  async #describe(
    { threadId, options, recording, answered }: Replaying,
    asked: Asked,
    request: RecordedRequest,
  ): Promise<Divergence> {
    const found = { place: asked.place, after: answered, request };
    if (recording.isSpent(asked.hash)) return { ...found, repeated: true, nearest: null, differences: [] };
    let nearest: Divergence['nearest'] = null;
    let least = Number.POSITIVE_INFINITY;
    for (const { ordinal, place } of recording.candidates(asked).slice(0, MAX_COMPARED)) {
      const exchange = await this.#options.exchanges.read(threadId, options.run_id, ordinal);
      if (exchange === undefined) continue;
      const elsewhere = place.node === asked.place.node ? 0 : 1;
      const distance = distanceBetween(exchange.request, request) + elsewhere;
      if (distance >= least) continue;
      least = distance;
      nearest = { ordinal, place, request: exchange.request };
    }
    const differences = nearest === null ? [] : compareRequests(nearest.request, request);
    return { ...found, repeated: false, nearest, differences };
  }
}
