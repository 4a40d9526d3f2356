import type { Selectable } from 'kysely';
import type { AssistantTable } from '../../storage/state-schema.ts';

type AssistantRow = Selectable<AssistantTable>;

const MAX_ROWS = 100;
/** The maximum number of characters in a cached row, because an assistant may have a config of any size. */
const MAX_CHARS = 10_000;

/**
 * Caches rows of assistants until any of them is written, because every run needs its assistant, which hardly
 * ever changes.
 */
export class AssistantCache {
  readonly #rows = new Map<string, Readonly<AssistantRow>>();
  #writes = 0;

  /** @param read reads the row from the database. */
  async find(
    id: string,
    read: () => Promise<AssistantRow | undefined>,
  ): Promise<Readonly<AssistantRow> | undefined> {
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    const writes = this.#writes;
    const row = await read();
    // The row may have been read before a write that has happened in the meantime.
    if (row !== undefined && writes === this.#writes) this.#keep(id, row);
    return row;
  }

  /**
   * Clears the cache. Each transaction that writes an assistant must call it; nothing is read between the
   * call and the commit.
   */
  forget(): void {
    this.#writes++;
    this.#rows.clear();
  }

  #keep(id: string, row: AssistantRow): void {
    const { config, context, metadata, description } = row;
    const chars = config.length + context.length + metadata.length + (description?.length ?? 0);
    if (chars > MAX_CHARS) return;
    const [oldest] = this.#rows.keys();
    if (this.#rows.size >= MAX_ROWS && oldest !== undefined) this.#rows.delete(oldest);
    this.#rows.set(id, Object.freeze(row));
  }
}
