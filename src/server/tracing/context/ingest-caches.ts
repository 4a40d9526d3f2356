import type { TraceTier } from '../../../contract/tracing/runs.ts';
import type { Label } from './label.ts';

/** The fields of a project that are needed to store runs. */
export interface KnownSession {
  readonly key: number;
  readonly id: string;
  readonly name: string;
  /** The retention of its new traces; null if the workspace decides. */
  readonly tier: TraceTier | null;
}

/** The writer's cache of keys. Call `clear` after a rollback. */
export class IngestCaches {
  readonly workspaces = new Map<string, number>();
  /** Projects, by workspace and name, or by workspace and ID. */
  readonly sessions = new Map<string, KnownSession>();
  readonly labels = new LabelKeys(50_000);
  /** Whether a workspace has rules that check its traces. */
  readonly hasRules = new Map<number, boolean>();

  clear(): void {
    this.workspaces.clear();
    this.sessions.clear();
    this.labels.clear();
    this.hasRules.clear();
  }
}

/** The kind of a label: a tag, or metadata with the type of its value. */
type Slot = 'tag' | Label['type'];

function slotOf({ kind, type }: Label): Slot {
  return kind === 'tag' ? kind : type;
}

/** Keys of labels. They are looked up ten times per run, so their names are not joined into one string. */
class LabelKeys {
  readonly #limit: number;
  readonly #bySession = new Map<number, Record<Slot, Map<string, Map<string, number>>>>();
  #size = 0;

  /** @param limit how many keys are cached before all of them are dropped. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get(session: number, label: Label): number | undefined {
    return this.#bySession.get(session)?.[slotOf(label)].get(label.name)?.get(label.value);
  }

  set(session: number, label: Label, key: number): void {
    if (this.#size++ >= this.#limit) this.clear();
    let names = this.#bySession.get(session);
    if (names === undefined) {
      names = { tag: new Map(), text: new Map(), number: new Map(), boolean: new Map() };
      this.#bySession.set(session, names);
    }
    const slot = names[slotOf(label)];
    const values = slot.get(label.name);
    if (values === undefined) slot.set(label.name, new Map([[label.value, key]]));
    else values.set(label.value, key);
  }

  delete(session: number, label: Label): void {
    if (this.#bySession.get(session)?.[slotOf(label)].get(label.name)?.delete(label.value)) this.#size--;
  }

  clear(): void {
    this.#bySession.clear();
    this.#size = 0;
  }
}
