import { mallocSettings } from '../../../process/malloc-settings.ts';
import { searchPathOf } from '../../../process/search-path.ts';
import type { RuntimeCommand } from '../process/spawn-runtime.ts';
import type { Project } from '../project/project.ts';
import { findNode, type NodeExecutable } from './node-executable.ts';

/**
 * How to run the graphs of a project on Node.
 * @param env their variables.
 * @param nodeRuntime the bundle that runs them.
 */
export async function nodeCommand(
  project: Pick<Project, 'dir' | 'isApart'>,
  env: Readonly<Record<string, string>>,
  nodeRuntime: string,
): Promise<{ readonly node: NodeExecutable; readonly command: RuntimeCommand }> {
  // A variable of an isolated project must not choose what this machine runs.
  const node = await findNode(project.isApart ? process.env.PATH : searchPathOf(env));
  return {
    node,
    command: {
      file: node.file,
      args: [...debugOptions(node), nodeRuntime],
      cwd: project.dir,
      env: { ...compileCache(), ...mallocSettings(env), ...env, ...node.env },
    },
  };
}

/**
 * When its inspector is opened, only the server gets its address: the port returns no list of targets.
 * An editor's executable does not take the option.
 */
function debugOptions({ env }: NodeExecutable): string[] {
  return Object.keys(env).length === 0 ? ['--inspect-publish-uid=stderr'] : [];
}

/**
 * Caches the compiled code of the graphs' modules with the server's, unless the project names another folder.
 */
function compileCache(): Record<string, string> {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
}
