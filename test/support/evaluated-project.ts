import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { projectRoot } from './cache.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A graph that answers in upper case. */
export const CAPITALS = `import { Annotation, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ question: Annotation, answer: Annotation });
async function reply({ question }) {
  return { answer: question.toUpperCase() };
}
export const graph = new StateGraph(State).addNode('reply', reply).addEdge('__start__', 'reply').compile();
`;

/** Evaluators: one that compares with the reference, and one that counts nodes in the trace. */
export const EVALUATORS = `type Arguments = {
  outputs: Record<string, unknown>;
  referenceOutputs?: Record<string, unknown>;
  run: { child_runs: { name: string }[] };
};
export function correct({ outputs, referenceOutputs }: Arguments) {
  return { key: 'correct', score: outputs.answer === referenceOutputs?.answer };
}
export const steps = ({ run }: Arguments) => run.child_runs.filter(({ name }) => name === 'reply').length;
`;

/** A project to evaluate, with this repository's packages, in its own folder. */
export interface EvaluatedProject extends AsyncDisposable {
  readonly folder: string;
  readonly config: string;
  write(files: Readonly<Record<string, string>>): Promise<void>;
}

/**
 * @param files by path; they replace those of a project that answers in capitals.
 * @param packages a `node_modules` other than this repository's.
 */
export async function evaluatedProject(
  files: Readonly<Record<string, string>> = {},
  packages = path.join(projectRoot, 'node_modules'),
): Promise<EvaluatedProject> {
  const temporary = await temporaryFolder();
  const folder = temporary.path;
  const write: EvaluatedProject['write'] = async (all) => {
    for (const [name, text] of Object.entries(all)) {
      const file = path.join(folder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
    }
  };
  await write({
    'langgraph.json': JSON.stringify({ graphs: { agent: './agent.mjs:graph' } }),
    'package.json': JSON.stringify({ type: 'module' }),
    '.gitignore': 'node_modules\n',
    'agent.mjs': CAPITALS,
    'evals/checks.ts': EVALUATORS,
    ...files,
  });
  await symlink(packages, path.join(folder, 'node_modules'), 'junction');
  return {
    folder,
    config: path.join(folder, 'langgraph.json'),
    write,
    [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
  };
}

/** The text of a dataset. */
export function datasetText(...lines: object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
