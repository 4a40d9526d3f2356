/** A split that can be chosen for several examples. */
export interface SplitChoice {
  readonly split: string;
  /** Whether all the examples are in it. */
  readonly isShared: boolean;
  /** How many of the examples are in it. */
  readonly count: number;
}

type Splits = readonly string[];

/**
 * The splits to choose from.
 * @param known the splits of the dataset
 * @param examples the splits of each example
 */
export function splitChoices(known: Splits, examples: readonly Splits[]): SplitChoice[] {
  return known.map((split) => {
    const count = examples.filter((splits) => splits.includes(split)).length;
    return { split, isShared: count === examples.length, count };
  });
}

/**
 * The splits that the examples are added to and removed from. Examples stay in a split that only some of them
 * are in, unless it is chosen for all.
 */
export function splitChanges(
  chosen: ReadonlySet<string>,
  examples: readonly Splits[],
): { added: string[]; removed: string[] } {
  const isShared = (split: string) => examples.every((splits) => splits.includes(split));
  return {
    added: [...chosen].filter((split) => !isShared(split)),
    removed: [...new Set(examples.flat())].filter((split) => isShared(split) && !chosen.has(split)),
  };
}
