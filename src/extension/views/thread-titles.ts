import type { Client } from '../../client/client.ts';
import { inputTitle } from '../wording/titles.ts';

/** The number of parallel requests: a remote platform takes a while for each. */
const CONCURRENCY = 8;
/**
 * The maximum number of a thread's newest runs that are listed to find the first one. If there are more, the
 * oldest of these counts as the first.
 */
const MAX_RUNS = 1000;
/** With more titles than this, all are forgotten and read again. */
const MAX_TITLES = 10_000;

/**
 * Reads titles of threads whose states have no messages: the words of their first run's input. These do not
 * change, so each title is read once.
 */
export class ThreadTitles {
  /** By thread ID; undefined if the input has no words. */
  readonly #titles = new Map<string, string | undefined>();

  /** @returns the titles by thread ID. Threads without runs, or whose inputs have no words, have none */
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
      // The thread is shown without a title: it was deleted in the meantime, or its runs cannot be read.
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
