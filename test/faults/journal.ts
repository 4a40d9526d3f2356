/** The data that the server has acknowledged, as recorded by the client. None of it may be lost. */
export interface Journal {
  readonly threads: string[];
  readonly assistants: string[];
  /** Key to value of items put. */
  readonly items: Map<string, number>;
  readonly runs: JournaledRun[];
}

export interface JournaledRun {
  readonly runId: string;
  readonly threadId: string;
  /** The events that a reader has got, in the order they came. */
  readonly seen: { id: number; event: string; data: string }[];
}

export function newJournal(): Journal {
  return { threads: [], assistants: [], items: new Map(), runs: [] };
}

/** Adds the entries of another journal. */
export function append(journal: Journal, { threads, assistants, items, runs }: Journal): void {
  journal.threads.push(...threads);
  journal.assistants.push(...assistants);
  journal.runs.push(...runs);
  for (const [key, value] of items) journal.items.set(key, value);
}
