/**
 * The oldest tested version of `@langchain/langgraph`. Messages tell users to install this version or a later
 * one.
 */
export const OLDEST_LANGGRAPH = '1.1';

/** The oldest version that is accepted, although it is not tested. Older ones serialize differently. */
const OLDEST_ACCEPTED = [0, 4] as const;

/** Whether a version of `@langchain/langgraph` is refused. */
export function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST_ACCEPTED[0] || (major === OLDEST_ACCEPTED[0] && minor < OLDEST_ACCEPTED[1]);
}
