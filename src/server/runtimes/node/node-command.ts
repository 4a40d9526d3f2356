import { mallocSettings } from '../../../process/malloc-settings.ts';
import { mergeEnvironments } from '../../../process/merge-environments.ts';
import { searchPathOf } from '../../../process/search-path.ts';
import type { RuntimeCommand } from '../process/spawn-runtime.ts';
import type { Project } from '../project/project.ts';
import { findNode, type NodeExecutable } from './node-executable.ts';

/**
 * The command that runs the graphs of a project on Node.
 * @param env the graphs' variables.
 * @param nodeRuntime the bundle that runs the graphs.
 */
export async function nodeCommand(
  project: Pick<Project, 'dir' | 'isIsolated'>,
  env: Readonly<Record<string, string>>,
  nodeRuntime: string,
): Promise<{ readonly node: NodeExecutable; readonly command: RuntimeCommand }> {
  // The variables of an isolated project must not choose which program this machine runs.
  const node = await findNode(project.isIsolated ? process.env.PATH : searchPathOf(env));
  return {
    node,
    command: {
      file: node.file,
      args: [...debugOptions(node), nodeRuntime],
      cwd: project.dir,
      env: mergeEnvironments([compileCache(), mallocSettings(env), env, node.env]),
    },
  };
}

/**
 * The option that keeps the inspector's address secret: when the inspector is opened, its port does not list targets,
 * so only the server knows the address. An editor's executable does not accept the option.
 */
function debugOptions({ env }: NodeExecutable): string[] {
  return Object.keys(env).length === 0 ? ['--inspect-publish-uid=stderr'] : [];
}

/** The variable with which Node caches the compiled modules of graphs in the same folder as the server's. */
function compileCache(): Record<string, string> {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
}
