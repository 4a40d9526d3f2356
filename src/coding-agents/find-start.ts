import { access } from 'node:fs/promises';
import path from 'node:path';
import type { StartedWith } from './client-files.ts';

/**
 * How programs start the MCP server: by its name where it is on everybody's PATH; else by the launcher of this VS Code,
 * which exists on this machine only.
 * @param launchers the folder of the launchers that VS Code's terminals have on their PATH
 * @param searchPath the folders of the PATH, as the system separates them
 */
export async function findStart(
  launchers: string,
  searchPath: string,
  platform: NodeJS.Platform = process.platform,
): Promise<StartedWith> {
  const isWindows = platform === 'win32';
  const folders = searchPath.split(path.delimiter).filter((folder) => folder !== launchers);
  const names = isWindows ? ['agent-harbor.cmd', 'agent-harbor.exe'] : ['agent-harbor'];
  const places = folders.flatMap((folder) => names.map((name) => path.join(folder, name)));
  const isOnPath = (await Promise.all(places.map(exists))).includes(true);
  const program = isOnPath
    ? 'agent-harbor'
    : path.join(launchers, isWindows ? 'agent-harbor.cmd' : 'agent-harbor');
  // Windows starts batch files only through its shell.
  return isWindows ? { command: 'cmd', args: ['/c', program, 'mcp'] } : { command: program, args: ['mcp'] };
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
