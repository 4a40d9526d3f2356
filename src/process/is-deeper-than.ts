/** The maximum depth of JSON. Node and Python can read deeper values than they can write, and their limits differ. */
export const MAX_JSON_DEPTH = 512;

/** Whether a value has more than `limit` levels of objects and lists. */
export function isDeeperThan(limit: number, value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= limit; depth++) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
    if (level.length === 0) return false;
  }
  return true;
}
