import type { ExampleRow, ExperimentsPanelState } from '../../extension/panels/experiments/messages.ts';

type Shown = Pick<ExperimentsPanelState, 'shown' | 'key' | 'query'>;

/** How many examples changed in each way. */
export interface ChangeCounts {
  readonly all: number;
  readonly regressed: number;
  readonly improved: number;
  /** Examples for which the experiment was preferred, or its baseline, or neither. */
  readonly won: number;
  readonly lost: number;
  readonly tied: number;
  /** Examples with a failed run in the experiment. */
  readonly failed: number;
}

/** The visible examples: those that changed in the selected way and contain the searched text. */
export function shownRows(rows: readonly ExampleRow[], { shown, key, query }: Shown): readonly ExampleRow[] {
  const text = query.trim().toLowerCase();
  if (shown === 'all' && text === '') return rows;
  return rows.filter((row) => hasChange(row, shown, key) && hasText(row, text));
}

/** Counts the examples that changed in each way. @param key the only feedback key whose changes count; all keys when undefined */
export function countChanges(rows: readonly ExampleRow[], key: string | undefined): ChangeCounts {
  const count = (shown: Shown['shown']) =>
    rows.reduce((sum, row) => sum + Number(hasChange(row, shown, key)), 0);
  return {
    all: rows.length,
    regressed: count('regressed'),
    improved: count('improved'),
    won: count('won'),
    lost: count('lost'),
    tied: count('tied'),
    failed: count('failed'),
  };
}

/** The feedback keys of the rows, in alphabetical order. */
export function keysOf(rows: readonly ExampleRow[]): readonly string[] {
  const keys = new Set<string>();
  for (const { baseline, result } of rows) {
    for (const cell of [baseline, result]) {
      for (const key in cell?.scores) keys.add(key);
      for (const key in cell?.values) keys.add(key);
    }
  }
  return inOrder(keys);
}

/** The feedback keys of comparisons, in alphabetical order. */
export function preferenceKeysOf(rows: readonly ExampleRow[]): readonly string[] {
  return inOrder(rows.flatMap(({ preferences }) => Object.keys(preferences)));
}

/** Each key once, in alphabetical order. */
export function inOrder(keys: Iterable<string>): readonly string[] {
  return [...new Set(keys)].sort((a, b) => a.localeCompare(b));
}

/** Whether an example changed in a way that the filter shows. */
function hasChange(
  { changes, preferences, result }: ExampleRow,
  shown: Shown['shown'],
  key: string | undefined,
): boolean {
  switch (shown) {
    case 'all':
      return true;
    case 'failed':
      return (result?.failed ?? 0) > 0;
    case 'won':
    case 'lost':
    case 'tied':
      return Object.values(preferences).includes(shown);
    default:
      return key === undefined ? Object.values(changes).includes(shown) : changes[key] === shown;
  }
}

function hasText({ title, baseline, result }: ExampleRow, wanted: string): boolean {
  return [title, baseline?.output, result?.output].some((text) => text?.toLowerCase().includes(wanted));
}
