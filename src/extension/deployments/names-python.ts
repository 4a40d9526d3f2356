/** Whether the text of a `langgraph.json` names a graph in Python, as a file or a module. */
export function namesPython(config: string): boolean {
  // A place such as "./agent.py:graph" or "package.module:graph", but not in a file of JavaScript or
  // TypeScript.
  return /:\s*"(?![^"]*\.[cm]?[jt]sx?:)[\w./\\-]+:\w+"/.test(config);
}
