import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { RunStream } from './run-stream.ts';

const MODE = 'updates';
/** An update that LangGraph emits again, because its task had finished before the step was continued. */
const Repeated = z.looseObject({ __metadata__: z.looseObject({ cached: z.literal(true) }) });

/**
 * The updates of an unfinished step that readers have already received. LangGraph emits the writes of its
 * finished tasks again when the step is continued.
 */
export class StreamedUpdates {
  /** The data of the updates, by the event's name, which includes the namespace. */
  readonly #data: ReadonlyMap<string, unknown[]>;

  private constructor(data: ReadonlyMap<string, unknown[]>) {
    this.#data = data;
  }

  /**
   * Reads the updates.
   * @param before the number of the last event before the unfinished step, by namespace.
   */
  static async read(stream: RunStream, before: ReadonlyMap<string, number>): Promise<StreamedUpdates> {
    const data = new Map<string, unknown[]>();
    for await (const events of stream.readStored(Math.min(...before.values()))) {
      for (const event of events) {
        const namespace = namespaceOf(event.event);
        if (namespace === undefined || event.seq <= (before.get(namespace) ?? 0)) continue;
        const known = data.get(event.event);
        if (known === undefined) data.set(event.event, [JSON.parse(event.data)]);
        else known.push(JSON.parse(event.data));
      }
    }
    return new StreamedUpdates(data);
  }

  /** The events without the updates that readers already have. Each of those is removed only once. */
  withoutRepeats(events: readonly [string, string][]): readonly [string, string][] {
    return events.filter(([name, data]) => !this.#isRepeat(name, data));
  }

  #isRepeat(name: string, data: string): boolean {
    const known = this.#data.get(name);
    if (known === undefined || !data.includes('__metadata__')) return false;
    const repeated = Repeated.safeParse(JSON.parse(data));
    if (!repeated.success) return false;
    const { __metadata__, ...update } = repeated.data;
    const at = known.findIndex(
      (earlier) =>
        isDeepStrictEqual(earlier, update) || isDeepStrictEqual(earlier, { ...update, __metadata__ }),
    );
    if (at === -1) return false;
    // Only one is removed, because two tasks may have written the same data.
    known.splice(at, 1);
    return true;
  }
}

/** The namespace of an update, from its event's name; undefined for events of other modes. */
function namespaceOf(event: string): string | undefined {
  if (event === MODE) return '';
  return event.startsWith(`${MODE}|`) ? event.slice(MODE.length + 1) : undefined;
}
