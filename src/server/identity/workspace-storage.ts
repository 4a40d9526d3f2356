import { Counter } from '../counter.ts';
import { gauge, type Metric } from '../metric-text.ts';

/** The minimum time for which a measurement is valid. */
const VALID_MS = 30_000;
/**
 * The minimum time for which a measurement beyond the limit is valid. It is short, so that deletions count
 * soon.
 */
const VALID_BEYOND_MS = 5_000;
/**
 * A measurement is valid for at least this many times its duration, so that a workspace is being measured for
 * less than a twentieth of the time.
 */
const VALID_DURATIONS = 20;
const FAILURE = 'the storage of a workspace cannot be measured: its limit (max_storage_bytes) is';

interface Measured {
  readonly bytes: number;
  readonly limit: number;
  readonly until: number;
}

export interface WorkspaceStorageOptions {
  /** Reads the number of bytes that a workspace stores, which may take long. */
  readonly measure: (workspaceId: string) => Promise<number>;
  readonly logger: {
    [Level in 'error' | 'info']: (about: { workspace_id: string; err?: unknown }, line: string) => void;
  };
  /** A clock in milliseconds. */
  readonly now?: () => number;
}

/** The bytes that workspaces with a limit store, measured by each server from time to time. */
export class WorkspaceStorage {
  readonly #options: WorkspaceStorageOptions;
  readonly #now: () => number;
  readonly #measured = new Map<string, Measured>();
  readonly #measuring = new Map<string, Promise<void>>();
  /** Workspaces whose last measurement failed, and until when they are not measured again. */
  readonly #failed = new Map<string, number>();
  readonly #outcomes = new Counter(
    'harbor_workspace_measurements_total',
    'Number of measurements of the storage of workspaces with a limit.',
    { label: 'outcome', values: ['measured', 'failed'] },
  );

  constructor(options: WorkspaceStorageOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** The last measured bytes of a workspace; undefined if they could not be measured. */
  async read(workspaceId: string, limit: number): Promise<number | undefined> {
    const last = this.#measured.get(workspaceId);
    const now = this.#now();
    const isOld = last === undefined || last.limit !== limit || last.until <= now;
    if (isOld && (this.#failed.get(workspaceId) ?? now) <= now) {
      const renewed = this.#renew(workspaceId, limit);
      // A workspace beyond its limit may have room again, and the first request needs a measurement, so both
      // wait for it.
      if (last === undefined || last.bytes >= limit) await renewed;
    }
    return this.#measured.get(workspaceId)?.bytes;
  }

  /** How many times workspaces were measured, and the last measurements of the given ones. */
  readGauges(workspaceIds: ReadonlySet<string>): Metric[] {
    const known = [...this.#measured].filter(([id]) => workspaceIds.has(id));
    const outcomes = this.#outcomes.read();
    // Servers without such workspaces do not have these metrics.
    if (outcomes.samples.every(({ value }) => value === 0)) return [];
    if (known.length === 0) return [outcomes];
    const samples = (value: (of: Measured) => number) =>
      known.map(([workspace_id, measured]) => ({ labels: { workspace_id }, value: value(measured) }));
    return [
      outcomes,
      gauge(
        'harbor_workspace_storage_bytes',
        'Bytes that a workspace with a limit stores.',
        samples(({ bytes }) => bytes),
      ),
      gauge(
        'harbor_workspace_storage_limit_bytes',
        'Bytes that a workspace with a limit may store.',
        samples(({ limit }) => limit),
      ),
    ];
  }

  /** Forgets a workspace whose limit has changed. */
  forget(workspaceId: string): void {
    this.#measured.delete(workspaceId);
    this.#failed.delete(workspaceId);
  }

  #renew(workspaceId: string, limit: number): Promise<void> {
    const underWay = this.#measuring.get(workspaceId);
    if (underWay !== undefined) return underWay;
    const since = this.#now();
    const until = (leastMs: number) => {
      const now = this.#now();
      return now + Math.max(leastMs, VALID_DURATIONS * (now - since));
    };
    const renewed = this.#options.measure(workspaceId).then(
      (bytes) => {
        const holds = until(bytes >= limit ? VALID_BEYOND_MS : VALID_MS);
        this.#noteMeasured(workspaceId, { bytes, limit, until: holds });
      },
      (err: unknown) => {
        this.#noteFailed(workspaceId, { err, until: until(VALID_BEYOND_MS) });
      },
    );
    this.#measuring.set(workspaceId, renewed);
    void renewed.then(() => this.#measuring.delete(workspaceId));
    return renewed;
  }

  #noteMeasured(workspaceId: string, measured: Measured): void {
    this.#outcomes.count('measured');
    this.#measured.set(workspaceId, measured);
    if (!this.#failed.delete(workspaceId)) return;
    this.#options.logger.info(
      { workspace_id: workspaceId },
      'the storage of a workspace can be measured again',
    );
  }

  /** Records a failure, and logs it unless the previous measurement failed too. */
  #noteFailed(workspaceId: string, { err, until }: { err: unknown; until: number }): void {
    this.#outcomes.count('failed');
    const isLogged = this.#failed.has(workspaceId);
    this.#failed.set(workspaceId, until);
    if (isLogged) return;
    const consequence = this.#measured.has(workspaceId)
      ? 'compared with the last measurement'
      : 'not enforced until it can be measured';
    this.#options.logger.error({ workspace_id: workspaceId, err }, `${FAILURE} ${consequence}`);
  }
}
