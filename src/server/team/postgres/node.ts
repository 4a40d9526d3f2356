import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { DataFolderError } from '../../storage/data-folder-error.ts';
import {
  type HeartbeatData,
  type HeartbeatNews,
  type HeartbeatOrder,
  type Joined,
  TICK_MS,
} from './heartbeat/heartbeat-protocol.ts';
import { LastHeartbeat } from './heartbeat/last-heartbeat.ts';
import { SILENCE_MS } from './take-over.ts';

/** How long the heartbeat's thread may take to report that this server is leaving: the database may be unreachable. */
const LEAVE_MS = 5_000;

interface NodeOptions extends Pick<HeartbeatData, 'url' | 'lanes'> {
  /** The entry point of the heartbeat's thread. */
  readonly heartbeat: URL;
  /** Called when this node has taken over from another one, with the nodes that now have that node's runs. */
  onTakenOver?(heirs: Iterable<string>): void;
}

/**
 * One of the servers that use a database. A separate thread sends its heartbeat, so that others consider it alive
 * while this thread is busy or the machine is overloaded, but not when this thread is stuck.
 */
export class Node {
  readonly number: number;
  /** Resolves when this server must not continue, usually because other servers have taken over from it. */
  readonly lost: Promise<DataFolderError>;
  readonly #lose: (error: DataFolderError) => void;
  readonly #thread: Worker;
  readonly #ticking: NodeJS.Timeout;
  readonly #heard: LastHeartbeat;
  readonly #ended: Promise<void>;
  #isLeaving = false;
  #others: number;
  #onDraining = () => {};

  private constructor(
    { joined, others }: Joined,
    thread: Worker,
    { ticking, heard }: { ticking: NodeJS.Timeout; heard: LastHeartbeat },
    { onTakenOver }: NodeOptions,
  ) {
    this.number = joined;
    this.#others = others;
    const { promise, resolve } = Promise.withResolvers<DataFolderError>();
    this.lost = promise;
    this.#lose = resolve;
    this.#thread = thread;
    this.#ticking = ticking;
    this.#heard = heard;
    thread.on('message', (news: HeartbeatNews) => {
      if ('others' in news) this.#others = news.others;
      else if ('heirs' in news) onTakenOver?.(news.heirs);
      else if ('draining' in news) this.#onDraining();
      else if ('lost' in news) this.end();
    });
    thread.on('error', (cause) => this.#loseHeartbeat(cause));
    this.#ended = new Promise((resolve) => thread.once('exit', () => resolve()));
    void this.#ended.then(() => this.#loseHeartbeat());
  }

  /** Makes this process one of the servers that use the database. */
  static async join(options: NodeOptions): Promise<Node> {
    const { url, lanes, heartbeat } = options;
    const ticks = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    const count = new Int32Array(ticks);
    const ticking = setInterval(() => Atomics.add(count, 0, 1), TICK_MS).unref();
    const heard = new LastHeartbeat();
    const data: HeartbeatData = { url, lanes, ticks, heard: heard.shared };
    const thread = new Worker(heartbeat, { workerData: data });
    try {
      const [news] = (await once(thread, 'message')) as [HeartbeatNews];
      if ('joined' in news) return new Node(news, thread, { ticking, heard }, options);
      throw new DataFolderError('failed' in news ? news.failed : 'The heartbeat thread sent no message.');
    } catch (error) {
      clearInterval(ticking);
      await thread.terminate();
      throw error;
    }
  }

  /** Whether this is the only server that uses the database, as of the last heartbeat. */
  get isAlone(): boolean {
    return this.#others === 0;
  }

  /** Whether others consider this server alive, because its heartbeats reach the database. */
  get isHeard(): boolean {
    return this.#heard.isWithin(SILENCE_MS);
  }

  /** Makes this server stop, because others have taken over from it. */
  end(): void {
    this.#lose(
      new DataFolderError(
        'Other servers have taken over the work of this one, because its heartbeat did not reach the database. Start this server again.',
      ),
    );
  }

  /** Stops taking over from others, and reports that this server is draining. */
  async drain(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onDraining = resolve;
    this.#order('drain');
    await Promise.race([promise, this.#ended]);
  }

  /** Leaves, so that others continue the work of this node. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    this.#order('leave');
    const timer = setTimeout(() => void this.#thread.terminate(), LEAVE_MS);
    await this.#ended;
    clearTimeout(timer);
    clearInterval(this.#ticking);
  }

  #order(order: HeartbeatOrder): void {
    this.#thread.postMessage(order);
  }

  /** Without this server's heartbeat, others may take over from it at any moment. */
  #loseHeartbeat(cause?: unknown): void {
    if (this.#isLeaving) return;
    this.#lose(
      new DataFolderError('The heartbeat of this server has stopped. Start this server again.', { cause }),
    );
  }
}
