/** Files and folders that tools create, and that are never deployed, even if git does not ignore them. */
export const TOOL_OUTPUT: ReadonlySet<string> = new Set([
  '.git',
  'node_modules',
  '.venv',
  'venv',
  '__pycache__',
  '.langgraph_api',
  '.harbor',
  '.DS_Store',
]);

/** Whether a path with slashes is, or is in, the output of a tool. */
export function isToolOutput(path: string): boolean {
  return path.split('/').some((part) => TOOL_OUTPUT.has(part));
}
