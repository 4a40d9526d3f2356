import path from 'node:path';
import { asSentence } from '../../process/as-sentence.ts';
import { nodeAt, rangeInString } from '../config-document.ts';
import { fileAsDependency } from '../file-as-dependency.ts';
import { joinNames } from '../join-names.ts';
import { languagesOf } from '../languages.ts';
import { normalizePythonName } from '../normalize-python-name.ts';
import type { Problem } from '../problem.ts';
import type { CheckInput } from './check-input.ts';
import { checkNodePackages } from './check-node-packages.ts';
import { findInstallCommand } from './find-install-command.ts';
import { findInstalled, type InstalledPackages } from './installed-packages.ts';
import { readPythonRequirements } from './python-requirements.ts';

/** The maximum number of packages in one sentence. */
const MAX_NAMED = 5;

/** Finds packages that a project requires but that are not installed where its graphs load them from. */
export async function checkDependencies(input: CheckInput): Promise<Problem[]> {
  const languages = languagesOf(input.config);
  const found = await Promise.all([
    languages.has('javascript') ? checkNodePackages(input) : [],
    checkPythonDependencies(input),
  ]);
  return found.flat();
}

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
  const command = await findInstallCommand(files, folder, environment, config.dir);
  const sentence = `${joinNames(missing, MAX_NAMED)} from ${source} ${are} not installed in ${path.relative(config.dir, environment)}. Run ${command}`;
  return asSentence(sentence);
}
