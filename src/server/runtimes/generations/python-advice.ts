import path from 'node:path';
import type { InstallChoice } from '../../../contract/harbor.ts';
import { readPythonRequirements } from '../../../project/checks/python-requirements.ts';
import { listFoldersAround } from '../../../project/folders-around.ts';
import { normalizePythonName } from '../../../project/normalize-python-name.ts';
import { filesOnDisk } from '../../../project/project-files.ts';
import type { RuntimeError } from '../../../runtime/protocol/protocol.ts';
import type { Project } from '../project/project.ts';
import { commandLine } from '../python/python-install.ts';

/** Python modules whose names differ from those of their packages, and the names of the packages. */
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

/** The module in a message of the Python runtime: `imports 'yaml', which is not installed in …`. */
function missingModule({ message }: RuntimeError): string | undefined {
  return /imports '([^']+)', which is not installed in /.exec(message)?.[1];
}

/**
 * How to install a missing package in the open folder of a Python project. Undefined for other errors, and
 * without a choice.
 * @param choices the ways to install the project's packages, the best one first.
 */
export async function findPythonAdvice(
  project: Pick<Project, 'dir'>,
  choices: readonly InstallChoice[],
  error: RuntimeError,
): Promise<string | undefined> {
  const [best] = choices;
  const module = missingModule(error);
  if (module === undefined || best === undefined) return undefined;
  const own = await findOwnModule(project.dir, module);
  if (own !== undefined) return `${own}.`;
  return installAdvice(project.dir, best, distributionOf(module));
}

/**
 * A sentence with the command that installs a package and, if needed, the line to add to the requirements
 * first.
 */
async function installAdvice(dir: string, best: InstallChoice, name: string): Promise<string> {
  const required = await readPythonRequirements(filesOnDisk, dir);
  const run = `Run this in ${dir}: `;
  if (required?.names.some((declared) => normalizePythonName(declared) === normalizePythonName(name)))
    return run + commandLine(best);
  if (best.tool === 'poetry') return `${run}poetry add ${name}`;
  const isUvProject = best.steps.some((step) => step.join(' ') === 'uv sync');
  if (isUvProject) return `${run}uv add ${name}`;
  // The package is added to the requirements, so that it is also installed on other machines.
  if (required !== undefined)
    return `Add ${name} to ${path.basename(required.file)}, and run this in ${dir}: ${commandLine(best)}`;
  const last = best.steps.at(-1) ?? [];
  const install = last.slice(0, last.indexOf('install') + 1);
  const into = last[last.indexOf('--python') + 1];
  const option = last.includes('--python') && into !== undefined ? ['--python', into] : [];
  const steps = [...best.steps.slice(0, -1), [...install, ...option, name]];
  return run + commandLine({ ...best, steps });
}

/** How to install a missing package in a built deployment of a Python project. */
export async function findDeployedPythonAdvice(
  { dir }: Pick<Project, 'dir'>,
  error: RuntimeError,
): Promise<string | undefined> {
  const module = missingModule(error);
  if (module === undefined) return undefined;
  const own = await findOwnModule(dir, module);
  if (own !== undefined) return `${own}, and deploy again.`;
  return addAndDeploy(dir, distributionOf(module));
}

/** How to add a package to the requirements of a built deployment. */
async function addAndDeploy(dir: string, name: string): Promise<string> {
  const required = await readPythonRequirements(filesOnDisk, dir);
  const file = required === undefined ? 'pyproject.toml' : path.basename(required.file);
  return `Add ${name} to ${file} and deploy again.`;
}

/**
 * How to import a module that is in the repository, but outside the folders from which the project imports: a
 * sentence without its period. Undefined if there is no such module.
 */
async function findOwnModule(dir: string, module: string): Promise<string | undefined> {
  const name = module.split('.')[0] ?? module;
  const around = await listFoldersAround(dir);
  const isRepository = (await filesOnDisk.kind(path.join(around.at(-1) ?? dir, '.git'))) !== undefined;
  for (const folder of (isRepository ? around : [dir]).flatMap((each) => [each, path.join(each, 'src')])) {
    const place = path.join(folder, name);
    if (!(await isPythonModule(place))) continue;
    const entry = path.relative(dir, folder).split(path.sep).join('/') || '.';
    const dependency = entry.startsWith('.') ? entry : `./${entry}`;
    return `'${name}' is in ${folder}: add "${dependency}" to 'dependencies' in langgraph.json`;
  }
  return undefined;
}

async function isPythonModule(place: string): Promise<boolean> {
  if ((await filesOnDisk.kind(`${place}.py`)) === 'file') return true;
  return (await filesOnDisk.list(place)).some(({ name }) => name.endsWith('.py'));
}

/** Names of packages that install LangGraph with them. */
const BRINGS_LANGGRAPH = /^(?:langgraph|langchain|deepagents)$|^langgraph[-_.](?!sdk$|cli$)/i;

/** How to install LangGraph in an environment that does not have it. */
export async function findLangGraphAdvice(
  { dir }: Pick<Project, 'dir'>,
  isDeployed: boolean,
  [best]: readonly InstallChoice[],
): Promise<string | undefined> {
  if (isDeployed) return addAndDeploy(dir, 'langgraph');
  if (best === undefined) return undefined;
  const required = await readPythonRequirements(filesOnDisk, dir);
  // If a required package installs LangGraph, the requirements are complete without it.
  const lacks = required !== undefined && !required.names.some((name) => BRINGS_LANGGRAPH.test(name));
  return lacks ? installAdvice(dir, best, 'langgraph') : `Run this in ${dir}: ${commandLine(best)}`;
}

function distributionOf(module: string): string {
  const top = module.split('.')[0] ?? module;
  return DISTRIBUTIONS[top] ?? top;
}
