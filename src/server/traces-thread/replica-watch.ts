import { Counter } from '../counter.ts';
import type { Logger } from '../logger.ts';
import { gauge, type Metric } from '../metric-text.ts';
import type { ReplicaOutcome } from './worker-protocol.ts';

/** The messages that are logged when the replica cannot be used. */
const PROBLEMS: Partial<Record<ReplicaOutcome, string>> = {
  away: 'the replica cannot be reached: the primary database answers queries of traces',
  unrelated:
    'AGENT_HARBOR_DATABASE_REPLICA is not a standby of this database: the primary database answers queries of traces',
};

/** Tracks and logs whether a replica is used, and counts the outcomes of queries. */
export class ReplicaWatch {
  readonly #logger: Logger;
  readonly #outcomes = new Counter(
    'harbor_replica_reads_total',
    'Number of queries of traces, by their outcome at the replica. The primary database answers those that the replica did not.',
    { label: 'outcome', values: ['answered', 'behind', 'canceled', 'away', 'unrelated'] },
  );
  #last: ReplicaOutcome | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Receives the outcome of a query. */
  note(outcome: ReplicaOutcome): void {
    this.#outcomes.count(outcome);
    const [before, now] = [this.#last, outcome].map((one) => one && PROBLEMS[one]);
    this.#last = outcome;
    if (now === before) return;
    if (now === undefined) this.#logger.info('the replica answers queries of traces again');
    else this.#logger.error(now);
  }

  /** The state of the replica; undefined before the first query. One that cancels a query is still `used`. */
  get state(): 'used' | 'behind' | 'away' | 'unrelated' | undefined {
    return this.#last === 'answered' || this.#last === 'canceled' ? 'used' : this.#last;
  }

  read(): Metric[] {
    const up = gauge(
      'harbor_replica_up',
      'Whether the replica can answer queries of traces.',
      this.#last !== undefined && PROBLEMS[this.#last] === undefined ? 1 : 0,
    );
    return this.#last === undefined ? [] : [up, this.#outcomes.read()];
  }
}
