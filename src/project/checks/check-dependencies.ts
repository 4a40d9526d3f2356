import path from 'node:path';
import { asSentence } from '../../process/as-sentence.ts';
import { nodeAt, rangeInString } from '../config-document.ts';
import { fileAsDependency } from '../file-as-dependency.ts';
import { ancestorsOf, listFoldersAround } from '../folders-around.ts';
import { findPythonLock, installedFrom, isMadeByUv, readPythonSources } from '../install/python-sources.ts';
import { joinNames } from '../join-names.ts';
import { languagesOf } from '../languages.ts';
import { normalizePythonName } from '../normalize-python-name.ts';
import type { Problem } from '../problem.ts';
import type { ProjectFiles } from '../project-files.ts';
import type { CheckInput } from './check-input.ts';
import { checkNodePackages } from './check-node-packages.ts';
import { readPythonRequirements } from './python-requirements.ts';

/** Finds packages that a project requires but that are not installed where its graphs load them from. */
export async function checkDependencies(input: CheckInput): Promise<Problem[]> {
  const languages = languagesOf(input.config);
  const found = await Promise.all([
    languages.has('javascript') ? checkNodePackages(input) : [],
    checkPythonDependencies(input),
  ]);
  return found.flat();
}

/** The maximum number of packages in one sentence. */
const MAX_NAMED = 5;

async function checkPythonDependencies(input: CheckInput): Promise<Problem[]> {
  const { config, files } = input;
  const dependencies = nodeAt(config, 'dependencies');
  if (dependencies?.type !== 'array') return [];
  const installed = await findInstalled(files, config.dir);
  const problems: Problem[] = [];
  for (const node of dependencies.items) {
    if (node.type !== 'string' || node.value === '') continue;
    const found = node.value.startsWith('.')
      ? await checkFolder(input, node.value, installed)
      : await checkPackage(input, node.value, installed);
    if (found !== undefined)
      problems.push({
        file: config.file,
        range: rangeInString(config, node),
        severity: found.code === 'dependency' ? 'warning' : 'error',
        ...found,
      });
  }
  return problems;
}

interface DependencyProblem {
  readonly code: 'file-missing' | 'dependency';
  readonly message: string;
}

/** Checks a dependency on a folder. @param dependency its path, relative to the project's folder */
async function checkFolder(
  input: CheckInput,
  dependency: string,
  installed: InstalledPackages | undefined,
): Promise<DependencyProblem | undefined> {
  const folder = path.resolve(input.config.dir, dependency);
  const kind = await input.files.kind(folder);
  if (kind === 'file') return { code: 'file-missing', message: fileAsDependency(dependency) };
  if (kind === undefined) return { code: 'file-missing', message: `Folder not found: ${dependency}.` };
  const message = installed && (await findNotInstalled(input, folder, installed));
  return message === undefined ? undefined : { code: 'dependency', message };
}

/** Checks a dependency on a package. @param dependency its name, possibly with a version */
async function checkPackage(
  { config, files }: CheckInput,
  dependency: string,
  installed: InstalledPackages | undefined,
): Promise<DependencyProblem | undefined> {
  if ((await files.kind(path.resolve(config.dir, dependency))) === 'folder') {
    const message = `${dependency} is installed as a package of this name, not from the folder beside langgraph.json. Write ./${dependency} for the folder.`;
    return { code: 'dependency', message };
  }
  const name = normalizePythonName(/^[\w.-]+/.exec(dependency)?.[0] ?? '');
  if (installed === undefined || name === '' || installed.packages.has(name)) return undefined;
  const message = `${name} is not installed in ${path.relative(config.dir, installed.environment)}.`;
  return { code: 'dependency', message };
}

/** The message that names required packages of a folder that are not installed; undefined when all are. */
async function findNotInstalled(
  { config, files }: CheckInput,
  folder: string,
  { environment, packages }: InstalledPackages,
): Promise<string | undefined> {
  const wanted = await readPythonRequirements(files, folder);
  const missing = wanted?.names.filter((name) => !packages.has(normalizePythonName(name))) ?? [];
  if (wanted === undefined || missing.length === 0) return undefined;
  const are = missing.length === 1 ? 'is' : 'are';
  const source = path.relative(config.dir, wanted.file);
  const command = await installCommand(files, folder, environment, config.dir);
  const sentence = `${joinNames(missing, MAX_NAMED)} from ${source} ${are} not installed in ${path.relative(config.dir, environment)}. Run ${command}`;
  return asSentence(sentence);
}

/**
 * The command that installs the requirements of a Python folder: with uv or Poetry if the folder or one
 * around it has their lockfile, else with pip.
 * @param environment where pip installs; undefined when it has to be created.
 * @param shownFrom the folder where the command is shown. If it is not `folder`, the command ends with the
 * path of `folder` relative to it.
 */
export async function installCommand(
  files: ProjectFiles,
  folder: string,
  environment: string | undefined,
  shownFrom = folder,
): Promise<string> {
  const lock = await findPythonLock(files, await listFoldersAround(folder, files));
  if (lock !== undefined) return lock.tool === 'uv' ? 'uv sync' : 'poetry install';
  const windows = process.platform === 'win32';
  const inside = windows ? path.join('Scripts', 'python') : path.join('bin', 'python');
  const python = path.join(environment === undefined ? '.venv' : path.relative(folder, environment), inside);
  const what = installedFrom(await readPythonSources(files, folder)).join(' ');
  const make =
    environment === undefined ? (windows ? 'py -m venv .venv, then ' : 'python3 -m venv .venv && ') : '';
  const where = folder === shownFrom ? '' : ` in ${path.relative(shownFrom, folder)}`;
  if (environment !== undefined && (await isMadeByUv(files, environment)))
    return `uv pip install --python ${python} ${what}${where}`;
  return `${make}${python} -m pip install ${what}${where}`;
}

/** The packages of a virtual environment. */
export interface InstalledPackages {
  /** The folder of the environment. */
  readonly environment: string;
  /** Names as PEP 503 compares them. */
  readonly packages: ReadonlySet<string>;
  /** Whether it has `.pth` files that may add other folders to import from. */
  readonly hasPaths: boolean;
}

/** `.pth` files of setuptools, virtualenv and editable packages, which do not import from other environments. */
const USUAL_PATH_FILES = /^(?:distutils-precedence|_virtualenv|__editable__.*|easy-install)\.pth$/;

/** Finds the project's virtual environment, and its packages; undefined when it has none. */
export async function findInstalled(
  files: ProjectFiles,
  dir: string,
): Promise<InstalledPackages | undefined> {
  for (const folder of ancestorsOf(dir)) {
    for (const environment of ['.venv', 'venv'].map((name) => path.join(folder, name))) {
      if ((await files.kind(path.join(environment, 'pyvenv.cfg'))) !== 'file') continue;
      const versions = await files.list(path.join(environment, 'lib'));
      const sites = [
        path.join(environment, 'Lib', 'site-packages'),
        ...versions.map(({ name }) => path.join(environment, 'lib', name, 'site-packages')),
      ];
      const entries = (await Promise.all(sites.map((site) => files.list(site)))).flat();
      const packages = entries.flatMap(({ name }) => {
        const match = /^(.+?)-[^-]+\.(?:dist|egg)-info$/.exec(name);
        return match?.[1] === undefined ? [] : [normalizePythonName(match[1])];
      });
      const hasPaths = entries.some(({ name }) => name.endsWith('.pth') && !USUAL_PATH_FILES.test(name));
      return { environment, packages: new Set(packages), hasPaths };
    }
  }
  return undefined;
}
