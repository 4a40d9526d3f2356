/** The variables of an environment that have a value; with `isWanted`, only those whose names it accepts. */
export function pickVariables(
  environment: NodeJS.ProcessEnv,
  isWanted: (name: string) => boolean = () => true,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && isWanted(entry[0]),
    ),
  );
}
