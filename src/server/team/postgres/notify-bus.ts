import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { jsonOrUndefined } from '../../../process/json-or-undefined.ts';
import { Bus, type Topic } from '../../storage/bus.ts';

/** Hints may be lost, so code that waits for one checks again after this time. */
const POLL_MS = 1_000;
/** How long hints are collected before they are sent. */
const GATHER_MS = 5;
/** PostgreSQL accepts less than 8,000 bytes per notification. */
const MAX_CHARS = 6_000;
const MAX_BYTES = 7_900;
/** The interval at which a server reports which subjects it listens to, and how long others rely on a report. */
const REPORT_MS = 10_000;
const BELIEVED_MS = 30_000;

/** A message between servers; servers ignore messages that their version does not know. */
const Message = z.union([
  z.array(z.templateLiteral([z.string(), ':', z.string()])),
  z.object({ from: z.string(), listens: z.string() }),
  z.object({ from: z.string(), subject: z.string(), news: z.unknown() }),
]);
type Message = z.output<typeof Message>;

/** Hints and messages for all servers of a database. They are not stored. */
export class NotifyBus extends Bus {
  protected override readonly pollMs = POLL_MS;
  /** Identifies this server's messages, because PostgreSQL notifies the sender too. */
  readonly #from = randomUUID();
  readonly #notify: (payload: string) => void;
  #gathered = new Set<Topic>();
  /** The time until which others are assumed to listen, by subject, in milliseconds of `performance.now()`. */
  readonly #believedUntil = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;

  /** @param notify notifies other servers; does nothing when there are none. */
  constructor(notify: (payload: string) => void) {
    super();
    this.#notify = notify;
    this.#timer = setInterval(() => {
      for (const listens of this.subjects) this.#send({ from: this.#from, listens });
    }, REPORT_MS).unref();
  }

  override hint(topic: Topic): void {
    super.hint(topic);
    if (this.#gathered.size === 0) setTimeout(() => this.#flush(), GATHER_MS).unref();
    this.#gathered.add(topic);
  }

  override tell(subject: string, news: unknown): void {
    if (performance.now() < (this.#believedUntil.get(subject) ?? 0))
      this.#send({ from: this.#from, subject, news });
  }

  override listen(...args: Parameters<Bus['listen']>): () => void {
    const end = super.listen(...args);
    this.#send({ from: this.#from, listens: args[0] });
    return end;
  }

  /** Receives a message from another server. */
  hear(payload: string): void {
    const { data: heard } = Message.safeParse(jsonOrUndefined(payload));
    if (heard === undefined) return;
    if (Array.isArray(heard)) for (const topic of heard) super.hint(topic);
    else if (heard.from === this.#from) return;
    else if ('listens' in heard) this.#believe(heard.listens);
    else {
      // The sender of a message expects an answer, even from a server that joined after the sender's last report.
      this.#believe(heard.subject);
      this.pass(heard.subject, heard.news);
    }
  }

  #believe(subject: string): void {
    this.#believedUntil.set(subject, performance.now() + BELIEVED_MS);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #flush(): void {
    let part: Topic[] = [];
    let chars = 0;
    for (const topic of this.#gathered) {
      if (chars + topic.length > MAX_CHARS) {
        this.#send(part);
        part = [];
        chars = 0;
      }
      part.push(topic);
      chars += topic.length + 3;
    }
    this.#gathered = new Set();
    this.#send(part);
  }

  #send(message: Message): void {
    const payload = JSON.stringify(message);
    // A message that is too long is lost, as any message may be.
    if (Buffer.byteLength(payload) < MAX_BYTES) this.#notify(payload);
  }
}
