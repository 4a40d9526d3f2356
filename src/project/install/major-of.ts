/** The first number of a version such as 4.9.1 or 4; `NaN` for other texts. */
export function majorOf(version: string): number {
  return Number.parseInt(version, 10);
}
