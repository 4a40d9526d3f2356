import path from 'node:path';
import { addCommand } from '../../../project/install/package-manager.ts';
import { filesOnDisk } from '../../../project/project-files.ts';
import type { RuntimeError } from '../../../runtime/protocol/protocol.ts';
import { missingPackage } from '../node/missing-package.ts';
import { readNodeProject } from '../node/node-install.ts';
import type { Project } from '../project/project.ts';

/** The name of the Node runtime's error about a LangGraph that is too old. */
const OLD_LANGGRAPH = 'OldLangGraphError';

/**
 * How to install a missing package, or a newer LangGraph, in a Node project: in its open folder or in a built
 * deployment. Undefined for other errors.
 */
export async function findNodeAdvice(
  { dir }: Pick<Project, 'dir'>,
  isDeployed: boolean,
  error: RuntimeError,
): Promise<string | undefined> {
  if (error.name === OLD_LANGGRAPH) return adviceForOldLangGraph(dir, isDeployed);
  const name = missingPackage(error);
  return name === undefined ? undefined : adviceForMissing(name, dir, isDeployed);
}

async function adviceForOldLangGraph(dir: string, isDeployed: boolean): Promise<string> {
  if (isDeployed) return 'Update it in package.json and deploy again.';
  const { tool, manifest } = await readNodeProject(dir);
  return `Run this in ${placeOf(manifest, dir)}: ${addCommand(tool)} @langchain/langgraph@latest @langchain/core@latest`;
}

async function adviceForMissing(name: string, dir: string, isDeployed: boolean): Promise<string> {
  const { tool, declared, manifest } = await readNodeProject(dir);
  const place = placeOf(manifest, dir);
  if (declared?.has(name) === true)
    return isDeployed
      ? "It is in package.json but was not installed. Move it to 'dependencies'."
      : `Run ${tool} install in ${place}`;
  const own = await findOwnFolder(dir, name);
  if (own !== undefined) return own;
  return isDeployed
    ? `Add ${name} to 'dependencies' in package.json and deploy again.`
    : `Run ${addCommand(tool)} ${name} in ${place}`;
}

/** The folder in which packages are installed. */
function placeOf(manifest: string | undefined, dir: string): string {
  return manifest === undefined ? dir : path.dirname(manifest);
}

/** How to import a folder of the project that was imported like a package. */
async function findOwnFolder(dir: string, name: string): Promise<string | undefined> {
  for (const folder of [dir, path.join(dir, 'src')]) {
    const place = path.join(folder, name);
    if ((await filesOnDisk.kind(place)) === 'folder')
      return `'${name}' is the folder ${place}: import it by a relative path, or by 'paths' of tsconfig.json.`;
  }
  return undefined;
}
