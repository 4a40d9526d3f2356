import path from 'node:path';
import { exists } from '../process/exists.ts';
import type { StartCommand } from './client-files.ts';

/**
 * Finds the command with which programs start the MCP server: the name of the program if it is installed on the PATH,
 * else the path of the launcher of this VS Code, which exists only on this machine.
 * @param launchers the folder of launchers that VS Code adds to the PATH of its terminals
 * @param searchPath the value of PATH
 */
export async function findStartCommand(
  launchers: string,
  searchPath: string,
  platform: NodeJS.Platform = process.platform,
): Promise<StartCommand> {
  const isWindows = platform === 'win32';
  const folders = searchPath.split(path.delimiter).filter((folder) => folder !== launchers);
  const names = isWindows ? ['agent-harbor.cmd', 'agent-harbor.exe'] : ['agent-harbor'];
  const places = folders.flatMap((folder) => names.map((name) => path.join(folder, name)));
  const isOnPath = (await Promise.all(places.map((place) => exists(place)))).includes(true);
  const program = isOnPath
    ? 'agent-harbor'
    : path.join(launchers, isWindows ? 'agent-harbor.cmd' : 'agent-harbor');
  return startCommandOf(program, platform);
}

/**
 * The command with which programs start the MCP server.
 * @param program the name or the path of agent-harbor
 */
export function startCommandOf(program: string, platform: NodeJS.Platform = process.platform): StartCommand {
  // Windows starts batch files only through its shell.
  return platform === 'win32'
    ? { command: 'cmd', args: ['/c', program, 'mcp'] }
    : { command: program, args: ['mcp'] };
}
