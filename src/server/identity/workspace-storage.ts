import { Counter } from '../histogram.ts';
import { gauge, type Metric } from '../metric-text.ts';

/** How long a measurement holds, at least. */
const HOLDS_MS = 30_000;
/** The same for one beyond the limit, so that what was deleted is noticed soon. */
const HOLDS_BEYOND_MS = 5_000;
/** Measuring takes at most this part of the time. */
const REST = 20;
const FAILURE = 'what a workspace stores cannot be measured: its limit of bytes (max_storage_bytes) is';

interface Measured {
  readonly bytes: number;
  readonly limit: number;
  readonly until: number;
}

export interface WorkspaceStorageOptions {
  /** Reads how many bytes a workspace stores, which may take long. */
  readonly measure: (workspaceId: string) => Promise<number>;
  readonly logger: {
    [Level in 'error' | 'info']: (about: { workspace_id: string; err?: unknown }, line: string) => void;
  };
  /** A clock in milliseconds. */
  readonly now?: () => number;
}

/** The bytes that workspaces with a limit store, measured now and then by each server. */
export class WorkspaceStorage {
  readonly #options: WorkspaceStorageOptions;
  readonly #now: () => number;
  readonly #measured = new Map<string, Measured>();
  readonly #measuring = new Map<string, Promise<void>>();
  /** Workspaces whose last measurement failed, and until when they are not measured again. */
  readonly #failed = new Map<string, number>();
  readonly #outcomes = new Counter(
    'harbor_workspace_measurements_total',
    'Number of measurements of what workspaces with a limit store.',
    { label: 'outcome', values: ['measured', 'failed'] },
  );

  constructor(options: WorkspaceStorageOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** The bytes of a workspace as measured last; undefined when they could not be measured. */
  async read(workspaceId: string, limit: number): Promise<number | undefined> {
    const last = this.#measured.get(workspaceId);
    const now = this.#now();
    const isOld = last === undefined || last.limit !== limit || last.until <= now;
    if (isOld && (this.#failed.get(workspaceId) ?? now) <= now) {
      const renewed = this.#renew(workspaceId, limit);
      // A workspace beyond its limit may have room again, and the first request needs a measurement.
      if (last === undefined || last.bytes >= limit) await renewed;
    }
    return this.#measured.get(workspaceId)?.bytes;
  }

  /** How often workspaces were measured, and the numbers of some, as measured last. */
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
        'Bytes that it may store.',
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
      return now + Math.max(leastMs, REST * (now - since));
    };
    const renewed = this.#options.measure(workspaceId).then(
      (bytes) => {
        const holds = until(bytes >= limit ? HOLDS_BEYOND_MS : HOLDS_MS);
        this.#noteMeasured(workspaceId, { bytes, limit, until: holds });
      },
      (err: unknown) => {
        this.#noteFailed(workspaceId, { err, until: until(HOLDS_BEYOND_MS) });
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
    this.#options.logger.info({ workspace_id: workspaceId }, 'what a workspace stores is measured again');
  }

  /** Notes a failure, and says so unless the measurement before failed too. */
  #noteFailed(workspaceId: string, { err, until }: { err: unknown; until: number }): void {
    this.#outcomes.count('failed');
    const isSaid = this.#failed.has(workspaceId);
    this.#failed.set(workspaceId, until);
    if (isSaid) return;
    const instead = this.#measured.has(workspaceId)
      ? 'compared with what was measured last'
      : 'not enforced until it can be';
    this.#options.logger.error({ workspace_id: workspaceId, err }, `${FAILURE} ${instead}`);
  }
}
