import path from 'node:path';
import type { ASTNode } from 'vscode-json-languageservice';
import { asSentence } from '../../process/as-sentence.ts';
import { nodeAt, rangeInString, rangeOf } from '../config-document.ts';
import { languagesOf } from '../languages.ts';
import { type Problem, range } from '../problem.ts';
import { findInstalled, installCommand } from './check-dependencies.ts';
import type { CheckInput } from './check-input.ts';

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
  const report = (node: ASTNode | undefined, severity: Problem['severity'], message: string): Problem => ({
    file: config.file,
    range: node === undefined ? range(0, 0, 0, 1) : rangeOf(config, node),
    severity,
    code: 'dependency',
    message,
  });
  const graphs = graphsKey(input);
  const installed = await findInstalled(files, config.dir);
  if (installed === undefined) {
    if (isLoaded || (await hasAnother(input))) return [];
    const message = `No virtual environment found, so the graphs run on the system Python. Run ${await installCommand(files, config.dir, undefined)}`;
    return [report(graphs, 'warning', asSentence(message))];
  }
  const name = path.relative(config.dir, installed.environment);
  const settings = (await files.read(path.join(installed.environment, 'pyvenv.cfg'))) ?? '';
  const problems: Problem[] = [];
  const version = /^version(?:_info)?\s*=\s*(\d+\.\d+(?:\.\d+)?)/m.exec(settings)?.[1];
  const wanted = nodeAt(config, 'python_version');
  const line = wanted?.value === undefined ? undefined : String(wanted.value);
  if (version !== undefined && line !== undefined && version !== line && !version.startsWith(`${line}.`)) {
    const message = `langgraph.json requires Python ${line}, but ${name} has ${version}.`;
    const problem = report(wanted, 'warning', message);
    problems.push(wanted?.type === 'string' ? { ...problem, range: rangeInString(config, wanted) } : problem);
  }
  const seesOthers = /^include-system-site-packages\s*=\s*true/im.test(settings) || installed.hasPaths;
  if (!isLoaded && !installed.packages.has('langgraph') && !seesOthers) {
    const message = `LangGraph is not installed in ${name}. Run ${await installCommand(files, config.dir, installed.environment)}`;
    problems.push(report(graphs, 'error', asSentence(message)));
  }
  return problems;
}

/** Whether the project's environment is probably in another place. */
async function hasAnother({ config, files, environment }: CheckInput): Promise<boolean> {
  if (ELSEWHERE.some((name) => (environment[name] ?? '') !== '')) return true;
  for (const name of MANAGED) if ((await files.kind(path.join(config.dir, name))) === 'file') return true;
  const manifest = (await files.read(path.join(config.dir, 'pyproject.toml'))) ?? '';
  return manifest.includes('[tool.poetry');
}

function graphsKey({ config }: CheckInput): ASTNode | undefined {
  const graphs = nodeAt(config, 'graphs');
  return graphs?.parent?.type === 'property' ? graphs.parent.keyNode : graphs;
}
