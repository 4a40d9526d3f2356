import path from 'node:path';
import { addCommand } from '../../../project/install/package-manager.ts';
import { filesOnDisk } from '../../../project/project-files.ts';
import type { RuntimeError } from '../../../runtime/protocol/protocol.ts';
import { readNodeProject } from '../node/node-install.ts';
import type { Project } from '../project/project.ts';

/** A name that npm's registry can have; aliases such as `@/lib` and `~` are none. */
const PACKAGE_NAME = /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/i;

/** The package in a message of Node: `Cannot find package '@langchain/core' imported from …`. */
function missingPackage({ message }: RuntimeError): string | undefined {
  const specifier = /Cannot find package '([^']+)'/.exec(message)?.[1];
  if (specifier === undefined) return undefined;
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  return PACKAGE_NAME.test(name) ? name : undefined;
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

/** Whether a message of the Node runtime is about an outdated LangGraph. */
function isOldLangGraph({ message }: RuntimeError): boolean {
  return /^@langchain\/langgraph \S+ in .* is too old\./.test(message);
}

/** How to install a missing package, or a newer LangGraph, in a Node project: in its open folder or in a built deployment. */
export async function findNodeAdvice(
  { dir }: Pick<Project, 'dir'>,
  isDeployed: boolean,
  error: RuntimeError,
): Promise<string | undefined> {
  const name = missingPackage(error);
  const isOld = isOldLangGraph(error);
  if (name === undefined && !isOld) return undefined;
  const { tool, declared, manifest } = await readNodeProject(dir);
  if (name !== undefined && declared?.has(name) !== true) {
    const own = await findOwnFolder(dir, name);
    if (own !== undefined) return own;
  }
  const place = manifest === undefined ? dir : path.dirname(manifest);
  if (name === undefined)
    return isDeployed
      ? 'Update it in package.json and deploy again.'
      : `Run this in ${place}: ${addCommand(tool)} @langchain/langgraph@latest @langchain/core@latest`;
  if (isDeployed) {
    return declared?.has(name)
      ? `It is in package.json, but was not installed: it must be in 'dependencies'.`
      : `Add ${name} to 'dependencies' in package.json and deploy again.`;
  }
  return `Run ${declared?.has(name) ? `${tool} install` : `${addCommand(tool)} ${name}`} in ${place}`;
}
