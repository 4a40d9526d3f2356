const INSPECTOR_LINE =
  /^(?:Debugger (?:listening on ws:|attached\.$|ending on ws:)|For help, see: https:\/\/nodejs\.org\/|Waiting for the debugger to disconnect)/;

/** Whether a line of output is Node's message about its inspector, whose address must not be logged. */
export function isInspectorLine(line: string): boolean {
  return INSPECTOR_LINE.test(line);
}
