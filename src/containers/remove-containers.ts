import type { ContainerTool } from './container-tool.ts';

/**
 * Removes containers, also while they run, with their unnamed volumes.
 * @param filters all that a container has to match; of the same kind, any.
 * @throws ContainerToolError
 */
export async function removeContainers(tool: ContainerTool, filters: readonly string[]): Promise<void> {
  const options = filters.flatMap((filter) => ['--filter', filter]);
  const listed = await tool.ask(['ps', '--all', '--quiet', ...options]);
  const ids = listed.split('\n').filter((id) => id !== '');
  if (ids.length > 0) await tool.ask(['rm', '--force', '--volumes', ...ids]);
}
