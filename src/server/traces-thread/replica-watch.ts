import { Counter } from '../histogram.ts';
import type { Logger } from '../logger.ts';
import { gauge, type Metric } from '../metric-text.ts';
import type { ReplicaOutcome } from './worker-protocol.ts';

/** Logged when the replica is not asked any more. */
const PROBLEMS: Partial<Record<ReplicaOutcome, string>> = {
  away: 'the replica cannot be reached: the database itself answers questions about traces',
  unrelated:
    'AGENT_HARBOR_DATABASE_REPLICA is no standby of this database: the database itself answers questions about traces',
};

/** Says of a replica whether it is asked, and what became of questions. */
export class ReplicaWatch {
  readonly #logger: Logger;
  readonly #outcomes = new Counter(
    'harbor_replica_reads_total',
    'Number of questions about traces, by what became of them at the replica: the database answers all that were not answered.',
    { label: 'outcome', values: ['answered', 'behind', 'canceled', 'away', 'unrelated'] },
  );
  #last: ReplicaOutcome | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Hears what became of a question. */
  note(outcome: ReplicaOutcome): void {
    this.#outcomes.count(outcome);
    const [before, now] = [this.#last, outcome].map((one) => one && PROBLEMS[one]);
    this.#last = outcome;
    if (now === before) return;
    if (now === undefined) this.#logger.info('the replica is asked about traces again');
    else this.#logger.error(now);
  }

  /** Undefined before the first question. */
  get state(): 'used' | 'behind' | 'away' | 'unrelated' | undefined {
    return this.#last === 'answered' || this.#last === 'canceled' ? 'used' : this.#last;
  }

  read(): Metric[] {
    const up = gauge(
      'harbor_replica_up',
      'Whether the replica can be asked about traces.',
      this.#last !== undefined && PROBLEMS[this.#last] === undefined ? 1 : 0,
    );
    return this.#last === undefined ? [] : [up, this.#outcomes.read()];
  }
}
