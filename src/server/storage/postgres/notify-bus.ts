import { z } from 'zod';
import { Bus, type Topic } from '../bus.ts';

/** Hints may be lost, so whoever waits looks again after this time. */
const POLL_MS = 1_000;
/** Hints are gathered for this time. */
const GATHER_MS = 5;
/** PostgreSQL takes less than 8,000 bytes at once. */
const MAX_CHARS = 6_000;

const Topics = z.array(z.templateLiteral([z.string(), ':', z.string()]));

/** Hints for all servers that use a database. They are not part of what is stored. */
export class NotifyBus extends Bus {
  protected override readonly pollMs = POLL_MS;
  readonly #notify: (payload: string) => void;
  #gathered = new Set<Topic>();

  /** @param notify tells other servers; it does nothing when there are none. */
  constructor(notify: (payload: string) => void) {
    super();
    this.#notify = notify;
  }

  override hint(topic: Topic): void {
    super.hint(topic);
    if (this.#gathered.size === 0) setTimeout(() => this.#flush(), GATHER_MS).unref();
    this.#gathered.add(topic);
  }

  /** Wakes those of this server who wait for what another one has said. */
  hear(payload: string): void {
    const heard = Topics.safeParse(parseJson(payload));
    if (heard.success) for (const topic of heard.data) super.hint(topic);
  }

  #flush(): void {
    let part: Topic[] = [];
    let chars = 0;
    for (const topic of this.#gathered) {
      if (chars + topic.length > MAX_CHARS) {
        this.#notify(JSON.stringify(part));
        part = [];
        chars = 0;
      }
      part.push(topic);
      chars += topic.length + 3;
    }
    this.#gathered = new Set();
    this.#notify(JSON.stringify(part));
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
