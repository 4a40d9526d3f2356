import { canonicalRequest, hashRequest } from '../../../replay/canonical-request.ts';
import { kindOfRequest } from '../../../replay/kind-of-request.ts';
import { maskExchange, maskRequest } from '../../../replay/mask-exchange.ts';
import type { ExchangeRecordParams } from '../../../runtime/protocol/protocol.ts';
import type { LogBook } from '../../runtimes/log-book.ts';
import { isRefused } from '../../storage/refused.ts';
import type { CommitQueue } from '../commit-queue.ts';
import type { LiveRuns } from '../runs/live-runs.ts';
import type { RunStore } from '../runs/run-store.ts';
import type { ExchangeStore } from './exchange-store.ts';
import type { MasksOfRuns } from './run-masks.ts';

export interface RecorderOptions {
  readonly queue: CommitQueue;
  readonly live: LiveRuns;
  readonly runs: RunStore;
  readonly exchanges: ExchangeStore;
  readonly masks: MasksOfRuns;
  readonly log: Pick<LogBook, 'write'>;
}

/** Keeps what recorded runs asked and were answered, without the secrets in it. */
export class Recorder {
  readonly #options: RecorderOptions;
  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** A recording that cannot be stored fails its run, because a replay would miss it. */
  record({ run_id, ordinal, place, request, response, error }: ExchangeRecordParams): void {
    const { queue, live, runs, exchanges, masks, log } = this.#options;
    const run = live.find(run_id);
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
        ...(error === undefined ? {} : { error }),
      },
      mask.response,
    );
    queue
      .write(run.identity.threadId, (unit) => {
        runs.expectStored(unit, run_id);
        exchanges.put(unit, run.identity.threadId, exchange);
      })
      .catch((failure: unknown) => {
        if (isRefused(failure, 'gone')) return;
        run.storageFailure ??= failure;
        log.write('ERROR', `Could not store a recorded request: ${String(failure)}`, run_id);
      });
  }
}
