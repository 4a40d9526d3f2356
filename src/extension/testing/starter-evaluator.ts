import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EVALUATORS_FOLDER, findEvaluatorFiles } from '../../evaluation/find-evaluations.ts';
import { filesOnDisk } from '../../project/project-files.ts';
import { readText } from '../../project/read-text.ts';
import { hasPythonGraph } from '../deployments/python-in-config.ts';

const TYPESCRIPT = `import { isDeepStrictEqual } from 'node:util';

type Values = Record<string, unknown> & { messages?: { content: unknown }[] };

/**
 * Whether the graph ends as in the dataset: with the same last message and the same values besides the
 * messages.
 */
export function same_answer({ outputs, referenceOutputs }: { outputs: Values; referenceOutputs?: Values }) {
  const { messages = [], ...values } = referenceOutputs ?? {};
  const isSame = (key: string) => isDeepStrictEqual(outputs[key], values[key]);
  return (
    Object.keys(values).every(isSame) &&
    isDeepStrictEqual(outputs.messages?.at(-1)?.content, messages.at(-1)?.content)
  );
}
`;

const PYTHON = `def same_answer(outputs: dict, reference_outputs: dict) -> bool:
    """Whether the graph ends as in the dataset: with the same last message and the same values besides the messages."""
    values = {key: value for key, value in (reference_outputs or {}).items() if key != "messages"}
    return all(outputs.get(key) == value for key, value in values.items()) and _last(outputs) == _last(
        reference_outputs or {}
    )


def _last(values: dict) -> object:
    messages = values.get("messages") or [{}]
    return messages[-1].get("content")
`;

/**
 * Writes an evaluator that compares outputs with the reference, in the language of the graphs, unless the
 * project has evaluators.
 * @param config the path of langgraph.json
 * @returns the file, if one was written
 * @throws the error of the file system
 */
export async function writeStarterEvaluator(config: string): Promise<string | undefined> {
  const folder = path.dirname(config);
  if ((await findEvaluatorFiles(filesOnDisk, folder)).length > 0) return undefined;
  const isPython = hasPythonGraph(await readText(config));
  const file = path.join(folder, EVALUATORS_FOLDER, isPython ? 'checks.py' : 'checks.ts');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, isPython ? PYTHON : TYPESCRIPT, { flag: 'wx' });
  return file;
}
