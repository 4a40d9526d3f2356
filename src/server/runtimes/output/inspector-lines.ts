const SAID =
  /^(?:Debugger (?:listening on ws:|attached\.$|ending on ws:)|For help, see: https:\/\/nodejs\.org\/|Waiting for the debugger to disconnect)/;

/**
 * Whether a line is Node's message about its own inspector, which contains an address that must not be logged.
 */
export function isOfInspector(line: string): boolean {
  return SAID.test(line);
}
