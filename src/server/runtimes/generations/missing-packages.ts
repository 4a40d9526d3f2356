import path from 'node:path';
import type { InstallChoice } from '../../../contract/harbor.ts';
import { readPythonRequirements } from '../../../project/checks/python-requirements.ts';
import { listFoldersAround } from '../../../project/folders-around.ts';
import { addCommand } from '../../../project/install/package-manager.ts';
import { filesOnDisk } from '../../../project/project-files.ts';
import type { InitializeResult, RuntimeError } from '../../../runtime/protocol/protocol.ts';
import { readNodeProject } from '../node/node-install.ts';
import type { Project } from '../project/project.ts';
import { commandLine } from '../python/python-install.ts';

/** Python packages that are imported under another name than they are installed. */
const DISTRIBUTIONS: Readonly<Record<string, string>> = {
  bs4: 'beautifulsoup4',
  cv2: 'opencv-python',
  dateutil: 'python-dateutil',
  dotenv: 'python-dotenv',
  PIL: 'pillow',
  psycopg2: 'psycopg2-binary',
  sklearn: 'scikit-learn',
  yaml: 'pyyaml',
};

/** Adds to each error about a missing package how to get it. */
export async function withWayOut(
  loaded: InitializeResult,
  wayOut: (error: RuntimeError) => Promise<string | undefined>,
): Promise<InitializeResult> {
  const explained = async (error: RuntimeError): Promise<RuntimeError> => {
    const sentence = await wayOut(error);
    return sentence === undefined ? error : { ...error, message: joinSentences(error.message, sentence) };
  };
  const graphs = await Promise.all(
    loaded.graphs.map(async (graph) =>
      graph.status === 'failed' ? { ...graph, error: await explained(graph.error) } : graph,
    ),
  );
  if (loaded.failed_extras === undefined) return { ...loaded, graphs };
  const failed_extras = await Promise.all(
    loaded.failed_extras.map(async (extra) => ({ ...extra, error: await explained(extra.error) })),
  );
  return { ...loaded, graphs, failed_extras };
}

/** The Python module of a message of the runtime: `imports 'yaml', which is not installed in …`. */
function missingModule({ message }: RuntimeError): string | undefined {
  return /imports '([^']+)', which is not installed in /.exec(message)?.[1];
}

/** How a Python project gets a missing package, in its open folder. */
export async function findPythonWayOut(
  project: Pick<Project, 'dir'>,
  [best]: readonly InstallChoice[],
  error: RuntimeError,
): Promise<string | undefined> {
  const module = missingModule(error);
  if (module === undefined || best === undefined) return undefined;
  const own = await findOwnModule(project.dir, module);
  if (own !== undefined) return own;
  return wayToInstall(project.dir, best, distributionOf(module));
}

async function wayToInstall(dir: string, best: InstallChoice, name: string): Promise<string> {
  const required = await readPythonRequirements(filesOnDisk, dir);
  const run = `Run this in ${dir}: `;
  if (required?.names.some((declared) => normalizeName(declared) === normalizeName(name)))
    return run + commandLine(best);
  if (best.tool === 'poetry') return `${run}poetry add ${name}`;
  const isUvProject = best.steps.some((step) => step.join(' ') === 'uv sync');
  if (isUvProject) return `${run}uv add ${name}`;
  // A folder with requirements is installed by them, so that it is complete on the next machine too.
  if (required !== undefined)
    return `Add ${name} to ${path.basename(required.file)}, and run this in ${dir}: ${commandLine(best)}`;
  const last = best.steps.at(-1) ?? [];
  const install = last.slice(0, last.indexOf('install') + 1);
  const into = last[last.indexOf('--python') + 1];
  const option = last.includes('--python') && into !== undefined ? ['--python', into] : [];
  const steps = [...best.steps.slice(0, -1), [...install, ...option, name]];
  return run + commandLine({ ...best, steps });
}

/** How a built deployment gets a Python package that it lacks. */
export async function findDeployedPythonWayOut(
  { dir }: Pick<Project, 'dir'>,
  error: RuntimeError,
): Promise<string | undefined> {
  const module = missingModule(error);
  if (module === undefined) return undefined;
  const own = await findOwnModule(dir, module);
  if (own !== undefined) return `${own.slice(0, -1)}, and deploy again.`;
  const required = await readPythonRequirements(filesOnDisk, dir);
  const file = required === undefined ? 'pyproject.toml' : path.basename(required.file);
  return `Add ${distributionOf(module)} to ${file} and deploy again.`;
}

/** The way to a Python module of the repository itself that is in none of the folders that modules are imported from. */
async function findOwnModule(dir: string, module: string): Promise<string | undefined> {
  const name = module.split('.')[0] ?? module;
  const around = await listFoldersAround(dir);
  const isRepository = (await filesOnDisk.kind(path.join(around.at(-1) ?? dir, '.git'))) !== undefined;
  for (const folder of (isRepository ? around : [dir]).flatMap((each) => [each, path.join(each, 'src')])) {
    const place = path.join(folder, name);
    if (!(await isPythonModule(place))) continue;
    const entry = path.relative(dir, folder).split(path.sep).join('/') || '.';
    const dependency = entry.startsWith('.') ? entry : `./${entry}`;
    return `'${name}' is in ${folder}: add "${dependency}" to 'dependencies' in langgraph.json.`;
  }
  return undefined;
}

async function isPythonModule(place: string): Promise<boolean> {
  if ((await filesOnDisk.kind(`${place}.py`)) === 'file') return true;
  return (await filesOnDisk.list(place)).some(({ name }) => name.endsWith('.py'));
}

/** A name that npm's registry can have; aliases such as `@/lib` and `~` are none. */
const PACKAGE_NAME = /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/i;

/** The package of a message of Node: `Cannot find package '@langchain/core' imported from …`. */
function missingPackage({ message }: RuntimeError): string | undefined {
  const specifier = /Cannot find package '([^']+)'/.exec(message)?.[1];
  if (specifier === undefined) return undefined;
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  return PACKAGE_NAME.test(name) ? name : undefined;
}

/** The way to a folder of the project that is imported like a package. */
async function findOwnFolder(dir: string, name: string): Promise<string | undefined> {
  for (const folder of [dir, path.join(dir, 'src')]) {
    const place = path.join(folder, name);
    if ((await filesOnDisk.kind(place)) === 'folder')
      return `'${name}' is the folder ${place}: import it by a relative path, or by 'paths' of tsconfig.json.`;
  }
  return undefined;
}

/** Whether a message of the Node runtime is about a LangGraph that is too old. */
function isOldLangGraph({ message }: RuntimeError): boolean {
  return /^@langchain\/langgraph \S+ in .* is too old\./.test(message);
}

/** How a Node project gets a missing package, or a newer LangGraph, in its open folder or in a built deployment. */
export async function findNodeWayOut(
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

/** Packages that require LangGraph. */
const BRINGS_LANGGRAPH = /^(?:langgraph|langchain|deepagents)$|^langgraph[-_.](?!sdk$|cli$)/i;

/** How a project whose environment has no LangGraph gets it. */
export async function findLangGraphWayOut(
  project: Pick<Project, 'dir'>,
  isDeployed: boolean,
  [best]: readonly InstallChoice[],
): Promise<string | undefined> {
  const required = await readPythonRequirements(filesOnDisk, project.dir);
  if (!isDeployed) {
    if (best === undefined) return undefined;
    // Others may be written for a LangGraph that was installed beside them.
    const lacks = required !== undefined && !required.names.some((name) => BRINGS_LANGGRAPH.test(name));
    return lacks
      ? wayToInstall(project.dir, best, 'langgraph')
      : `Run this in ${project.dir}: ${commandLine(best)}`;
  }
  const file = required === undefined ? 'pyproject.toml' : path.basename(required.file);
  return `Add langgraph to ${file} and deploy again.`;
}

function distributionOf(module: string): string {
  const top = module.split('.')[0] ?? module;
  return DISTRIBUTIONS[top] ?? top;
}

/** As PEP 503 compares names. */
function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

function joinSentences(message: string, sentence: string): string {
  return `${message}${/[.?!]$/.test(message) ? '' : '.'} ${sentence}`;
}
