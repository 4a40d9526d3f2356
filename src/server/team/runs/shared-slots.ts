import { z } from 'zod';
import type { RunLedger } from '../../agent-server/runs/run-ledger.ts';
import type { Logger } from '../../logger.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { AdoptedRuns } from './adopted-runs.ts';
import type { RunHandover } from './run-handover.ts';
import type { RunHolders } from './run-holders.ts';

/**
 * The interval at which other servers are asked while runs wait for a slot, and the minimum time for which an
 * offered slot stays reserved.
 */
const ASK_MS = 500;

/** A message between servers: a server has runs that wait, or offers another one its free slots. */
const News = z.union([
  z.object({ from: z.string(), waiting: z.int().min(1) }),
  z.object({ from: z.string(), to: z.string(), free: z.int().min(1) }),
]);
type News = z.output<typeof News>;

interface SharedSlotsOptions {
  readonly db: StateDatabase;
  readonly logger: Logger;
  readonly deploymentId: string;
  readonly ledger: RunLedger;
  readonly holders: Pick<RunHolders, 'inTurn'>;
  readonly handover: RunHandover;
  readonly adopted: Pick<AdoptedRuns, 'adopt'>;
  /** Aborted when the server stops. */
  readonly closing: AbortSignal;
}

/**
 * Finds slots on other servers for runs that wait for one here: a server asks all others, those with free slots offer
 * them, and the first server hands over that many threads to each of them. Lost messages are repeated.
 */
export class SharedSlots {
  readonly #options: SharedSlotsOptions;
  readonly #subject: string;
  #asking: NodeJS.Timeout | undefined;
  /** The number of slots that have just been offered to other servers. */
  #offered = 0;
  /** Threads that are being handed over. */
  readonly #giving = new Set<string>();

  constructor(options: SharedSlotsOptions) {
    this.#options = options;
    this.#subject = `slots:${options.deploymentId}`;
  }

  /** Receives requests and offers from others until the server stops. */
  listen(): void {
    const { db, closing } = this.#options;
    const end = db.bus.listen(this.#subject, (news) => this.#hear(news));
    closing.addEventListener('abort', end, { once: true });
  }

  /** Asks others for slots while runs are waiting for one here. */
  ask(): void {
    const { db, ledger, closing } = this.#options;
    if (this.#asking !== undefined || ledger.waiting.length === 0 || closing.aborted) return;
    this.#tell({ from: db.node, waiting: ledger.waiting.length });
    this.#asking = setTimeout(() => {
      this.#asking = undefined;
      this.ask();
    }, ASK_MS).unref();
  }

  #tell(news: News): void {
    this.#options.db.bus.tell(this.#subject, news);
  }

  #hear(heard: unknown): void {
    // Messages that only another version knows are ignored.
    const { data: news } = News.safeParse(heard);
    if (news === undefined || this.#options.closing.aborted) return;
    if ('waiting' in news) this.#offer(news.from, news.waiting);
    else if (news.to === this.#options.db.node) this.#give(news.from, news.free);
  }

  /** Offers free slots to a server with waiting runs, and reserves them for a while. */
  #offer(to: string, waiting: number): void {
    const { db, ledger } = this.#options;
    const free = Math.min(ledger.free - this.#offered, waiting);
    if (free < 1) return;
    this.#offered += free;
    this.#keepFree(free);
    this.#tell({ from: db.node, to, free });
  }

  /** Keeps offered slots reserved until the runs that were handed over for them are adopted. */
  #keepFree(slots: number): void {
    const { adopted, closing } = this.#options;
    const look = async () => {
      if (closing.aborted) return;
      try {
        await adopted.adopt();
        this.#offered -= slots;
      } catch {
        // Without reading the runs, it is unknown which were handed over. `AdoptedRuns.keepAdopting` reports
        // why they cannot be read.
        this.#keepFree(slots);
      }
    };
    setTimeout(() => void look(), ASK_MS).unref();
  }

  /** Hands over as many threads with waiting runs as another server has free slots. */
  #give(heir: string, free: number): void {
    const waiting = this.#options.ledger.waiting.map(({ identity }) => identity.threadId);
    const threads = waiting.filter((threadId) => !this.#giving.has(threadId));
    for (const threadId of threads.slice(0, free)) void this.#giveThread(threadId, heir);
  }

  async #giveThread(threadId: string, heir: string): Promise<void> {
    const { holders, handover, logger } = this.#options;
    this.#giving.add(threadId);
    try {
      await holders.inTurn(threadId, () => handover.give(threadId, heir));
    } catch (err) {
      logger.warn({ err }, 'could not give runs to a server with free slots');
    } finally {
      this.#giving.delete(threadId);
    }
  }
}
