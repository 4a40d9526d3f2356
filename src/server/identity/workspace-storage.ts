import { gauge, type Metric } from '../metric-text.ts';

/** How long a measurement holds, at least. */
const HOLDS_MS = 30_000;
/** The same for one beyond the limit, so that what was deleted is noticed soon. */
const HOLDS_BEYOND_MS = 5_000;
/** Measuring takes at most this part of the time. */
const REST = 20;

interface Measured {
  readonly bytes: number;
  readonly limit: number;
  readonly until: number;
}

/** The bytes that workspaces with a limit store, measured now and then by each server. */
export class WorkspaceStorage {
  readonly #measure: (workspaceId: string) => Promise<number>;
  readonly #measured = new Map<string, Measured>();
  readonly #measuring = new Map<string, Promise<void>>();

  /** @param measure reads how many bytes a workspace stores, which may take long. */
  constructor(measure: (workspaceId: string) => Promise<number>) {
    this.#measure = measure;
  }

  /** The bytes of a workspace as measured last; undefined when they could not be measured. */
  async read(workspaceId: string, limit: number): Promise<number | undefined> {
    const last = this.#measured.get(workspaceId);
    if (last === undefined || last.limit !== limit || last.until <= performance.now()) {
      const renewed = this.#renew(workspaceId, limit);
      // A workspace beyond its limit may have room again, and the first request needs a measurement.
      if (last === undefined || last.bytes >= limit) await renewed;
    }
    return this.#measured.get(workspaceId)?.bytes;
  }

  /** The numbers of workspaces, as measured last. */
  readGauges(workspaceIds: ReadonlySet<string>): Metric[] {
    const known = [...this.#measured].filter(([id]) => workspaceIds.has(id));
    if (known.length === 0) return [];
    const samples = (value: (of: Measured) => number) =>
      known.map(([workspace_id, measured]) => ({ labels: { workspace_id }, value: value(measured) }));
    return [
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

  forget(workspaceId: string): void {
    this.#measured.delete(workspaceId);
  }

  #renew(workspaceId: string, limit: number): Promise<void> {
    const underWay = this.#measuring.get(workspaceId);
    if (underWay !== undefined) return underWay;
    const since = performance.now();
    const renewed = this.#measure(workspaceId).then(
      (bytes) => {
        const took = performance.now() - since;
        const holds = Math.max(bytes >= limit ? HOLDS_BEYOND_MS : HOLDS_MS, REST * took);
        this.#measured.set(workspaceId, { bytes, limit, until: performance.now() + holds });
      },
      // The last measurement holds until the next succeeds.
      () => {},
    );
    this.#measuring.set(workspaceId, renewed);
    void renewed.then(() => this.#measuring.delete(workspaceId));
    return renewed;
  }
}
