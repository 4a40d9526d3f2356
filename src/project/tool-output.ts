/** Output of tools, which a build creates again, whether ignored or not. */
const NEVER: ReadonlySet<string> = new Set([
  '.git',
  'node_modules',
  '.venv',
  'venv',
  '__pycache__',
  '.langgraph_api',
  '.harbor',
  '.DS_Store',
]);

/** Whether a path with slashes, or any folder of it, is never deployed. */
export function isToolOutput(path: string): boolean {
  return path.split('/').some((part) => NEVER.has(part));
}
