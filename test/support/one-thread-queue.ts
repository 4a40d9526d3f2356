import assert from 'node:assert/strict';
import { CommitQueue } from '../../src/server/agent-server/data/commit-queue.ts';
import type { Write } from '../../src/server/storage/unit.ts';

/** Refuses writes that touch two threads, because units of different threads must be independent. */
export class OneThreadQueue extends CommitQueue {
  /** The threads of what has been stored, also by the IDs of runs. */
  readonly #threadOf = new Map<unknown, string>();

  override write(threadId: string, write: Write): Promise<void> {
    return super.write(threadId, this.#checked(threadId, write));
  }

  override writeForRun(threadId: string, write: Write): Promise<void> {
    return super.writeForRun(threadId, this.#checked(threadId, write));
  }

  #checked(threadId: string, write: Write): Write {
    return (unit) => {
      const touched = new Set([threadId]);
      write(
        new Proxy(unit, {
          get: (_, name) => {
            const method: unknown = Reflect.get(unit, name, unit);
            if (typeof method !== 'function') return method;
            return (...values: unknown[]) => {
              for (const thread of this.#threadsIn(values)) touched.add(thread);
              assert.ok(touched.size < 2, 'a unit touches one thread');
              return Reflect.apply(method, unit, values);
            };
          },
        }),
      );
    };
  }

  /**
   * The threads that the arguments of a write refer to. Compiled queries have IDs as parameters, and rows
   * have them as fields.
   */
  #threadsIn(values: readonly unknown[]): string[] {
    const bound = values.flatMap((value) => {
      if (typeof value !== 'object' || value === null) return [];
      if ('compile' in value && typeof value.compile === 'function') return value.compile().parameters;
      if ('thread_id' in value && typeof value.thread_id === 'string') {
        this.#threadOf.set(value.thread_id, value.thread_id);
        if ('run_id' in value) this.#threadOf.set(value.run_id, value.thread_id);
      }
      return Object.values(value);
    });
    return bound.flatMap((value) => this.#threadOf.get(value) ?? []);
  }
}
