const SAID =
  /^(?:Debugger (?:listening on ws:|attached\.$|ending on ws:)|For help, see: https:\/\/nodejs\.org\/|Waiting for the debugger to disconnect)/;

/** Whether Node says this of its own inspector: it is not a line for the log, and has an address that must not be logged. */
export function isOfInspector(line: string): boolean {
  return SAID.test(line);
}
