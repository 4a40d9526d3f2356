import type { Client } from '../../client/client.ts';
import type { Thread } from '../../contract/agent-server/threads.ts';
import { isObject } from '../../process/objects.ts';
import { inputTitle } from '../wording/input-title.ts';

/** The number of parallel requests: a remote platform takes a while for each. */
const CONCURRENCY = 8;
/** The maximum length of a list of runs. */
const MAX_RUNS = 1000;
/** The number of remembered titles; further ones are read again. */
const MAX_TITLES = 10_000;

/**
 * Titles of threads whose state has no messages, or none yet: the words of their first run's input. These do not
 * change, so each is read once.
 */
export class ThreadTitles {
  readonly #titles = new Map<string, string | undefined>();

  /** @returns the titles by thread; threads without runs, or with inputs that have no words, have none. */
  async read(client: Client, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const missing = ids.filter((id) => !this.#titles.has(id)).values();
    const readMissing = async (): Promise<void> => {
      for (const id of missing) await this.#readOne(client, id);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, readMissing));
    const found = ids.flatMap((id) => {
      const title = this.#titles.get(id);
      return title === undefined ? [] : [[id, title] as const];
    });
    if (this.#titles.size > MAX_TITLES) this.#titles.clear();
    return new Map(found);
  }

  async #readOne(client: Client, thread_id: string): Promise<void> {
    try {
      const run = await readFirstRun(client, thread_id);
      if (run !== undefined) this.#titles.set(thread_id, inputTitle(run.kwargs?.input));
    } catch {
      // Without it the thread is still shown: it was deleted meanwhile, or its runs may not be read.
    }
  }
}

async function readFirstRun({ runs }: Client, thread_id: string) {
  const params = { thread_id };
  const [newest, other] = await runs.list({ params, query: { limit: 2, select: ['run_id', 'kwargs'] } });
  if (other === undefined) return newest;
  const all = await runs.list({ params, query: { limit: MAX_RUNS, select: ['run_id'] } });
  const run_id = all.at(-1)?.run_id;
  return run_id === undefined ? undefined : runs.get({ params: { thread_id, run_id } });
}

/** A thread in the answer of a search. */
interface Named {
  readonly metadata?: Thread['metadata'] | undefined;
  readonly extracted?: unknown;
}

/** The name that a thread was given, or the first message of its state. */
export function titleOf({ metadata, extracted }: Named): string | undefined {
  for (const name of [metadata?.name, metadata?.title]) {
    if (typeof name === 'string' && name.trim() !== '') return inputTitle(name) ?? name;
  }
  return inputTitle(isObject(extracted) ? extracted.title : undefined);
}
