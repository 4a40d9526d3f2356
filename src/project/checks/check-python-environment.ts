import path from 'node:path';
import { asSentence } from '../../process/as-sentence.ts';
import { nodeAt, rangeInString, rangeOf, rangeOfGraphsKey } from '../config-document.ts';
import { languagesOf } from '../languages.ts';
import type { Problem } from '../problem.ts';
import type { CheckInput } from './check-input.ts';
import { findInstallCommand } from './find-install-command.ts';
import { findInstalled } from './installed-packages.ts';

/** Variables that name an environment outside the project. */
const ELSEWHERE = ['VIRTUAL_ENV', 'CONDA_PREFIX', 'UV_PROJECT_ENVIRONMENT', 'AGENT_HARBOR_PYTHON'];
/** Files of tools that store environments outside the project. */
const MANAGED = ['poetry.lock', 'environment.yml', 'environment.yaml'];

/**
 * Finds Python graphs without an environment, with one that has another version of Python, or with one that
 * has no LangGraph.
 */
export async function checkPythonEnvironment(input: CheckInput): Promise<Problem[]> {
  const { config, files } = input;
  // If the graphs were loaded, the runtime has reported missing packages.
  const isLoaded = input.runtime !== undefined;
  if (!languagesOf(input.config).has('python')) return [];
  const report = (place: Problem['range'], severity: Problem['severity'], message: string): Problem => ({
    file: config.file,
    range: place,
    severity,
    code: 'dependency',
    message,
  });
  const graphs = rangeOfGraphsKey(config);
  const installed = await findInstalled(files, config.dir);
  if (installed === undefined) {
    if (isLoaded || (await hasAnother(input))) return [];
    const message = `No virtual environment found, so the graphs run on the system Python. Run ${await findInstallCommand(files, config.dir, undefined)}`;
    return [report(graphs, 'warning', asSentence(message))];
  }
  const name = path.relative(config.dir, installed.environment);
  const settings = (await files.read(path.join(installed.environment, 'pyvenv.cfg'))) ?? '';
  const problems: Problem[] = [];
  const version = /^version(?:_info)?\s*=\s*(\d+\.\d+(?:\.\d+)?)/m.exec(settings)?.[1];
  const wanted = nodeAt(config, 'python_version');
  if (version !== undefined && wanted?.value !== undefined && !isOfLine(version, String(wanted.value))) {
    const message = `langgraph.json requires Python ${String(wanted.value)}, but ${name} has ${version}.`;
    const place = wanted.type === 'string' ? rangeInString(config, wanted) : rangeOf(config, wanted);
    problems.push(report(place, 'warning', message));
  }
  const seesOthers = /^include-system-site-packages\s*=\s*true/im.test(settings) || installed.hasPaths;
  if (!isLoaded && !installed.packages.has('langgraph') && !seesOthers) {
    const message = `LangGraph is not installed in ${name}. Run ${await findInstallCommand(files, config.dir, installed.environment)}`;
    problems.push(report(graphs, 'error', asSentence(message)));
  }
  return problems;
}

/** Whether a version such as 3.12.4 belongs to a line such as 3.12. */
function isOfLine(version: string, line: string): boolean {
  return version === line || version.startsWith(`${line}.`);
}

/** Whether the project's environment is probably in another place. */
async function hasAnother({ config, files, environment }: CheckInput): Promise<boolean> {
  if (ELSEWHERE.some((name) => (environment[name] ?? '') !== '')) return true;
  for (const name of MANAGED) if ((await files.kind(path.join(config.dir, name))) === 'file') return true;
  const manifest = (await files.read(path.join(config.dir, 'pyproject.toml'))) ?? '';
  return manifest.includes('[tool.poetry');
}
