import type { ContainerTool } from './container-tool.ts';

/**
 * Removes containers, even running ones, with their unnamed volumes.
 * @param filters the filters of the tool's `ps` that select the containers, such as `label=…`.
 * @throws ContainerToolError
 */
export async function removeContainers(tool: ContainerTool, filters: readonly string[]): Promise<void> {
  const options = filters.flatMap((filter) => ['--filter', filter]);
  const listed = await tool.ask(['ps', '--all', '--quiet', ...options]);
  const ids = listed.split('\n').filter((id) => id !== '');
  if (ids.length > 0) await tool.ask(['rm', '--force', '--volumes', ...ids]);
}

/** The command line that removes a container at once, even a running one, with its unnamed volumes. */
export function removalOf(tool: ContainerTool, name: string): string[] {
  const atOnce = tool.name === 'podman' ? ['--time', '0'] : [];
  return tool.command('rm', '--force', '--volumes', ...atOnce, name);
}
