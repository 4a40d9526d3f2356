/** The oldest `@langchain/langgraph` that is tested, which messages tell users to install. */
export const OLDEST_LANGGRAPH = '1.1';

/**
 * Older versions serialize differently and are refused. Versions from this one to the oldest tested one are accepted
 * untested.
 */
const OLDEST_TRIED = [0, 4] as const;

/** Whether a version of `@langchain/langgraph` is refused. */
export function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST_TRIED[0] || (major === OLDEST_TRIED[0] && minor < OLDEST_TRIED[1]);
}
