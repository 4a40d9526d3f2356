import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type {
  EvaluationResult,
  EvaluatorsListParams,
  EvaluatorsListResult,
  EvaluatorsRunParams,
  EvaluatorsRunResult,
  InitializeParams,
} from '../../protocol/protocol.ts';
import { GraphLoadError } from '../errors/runtime-error.ts';
import { isRecord } from '../langgraph-types.ts';
import { importError } from '../loading/import-error.ts';
import { isPlainFunction } from '../loading/plain-function.ts';
import { loadTypeScript } from '../typescript/typescript-loader.ts';
import { readResults } from './evaluation-results.ts';
import { reviveMessages } from './revive-messages.ts';
import { traceEvaluator } from './trace-evaluator.ts';

type Evaluator = (...args: unknown[]) => unknown;

/** The evaluators of a project: exported functions with the signature that LangSmith's `evaluate` calls. */
export class Evaluators {
  #projectDir = '';

  configure({ project_dir }: InitializeParams): void {
    this.#projectDir = project_dir;
  }

  /** @throws GraphLoadError when the module does not load. */
  async list({ file }: EvaluatorsListParams): Promise<EvaluatorsListResult> {
    return { names: [...(await this.#load(file)).keys()] };
  }

  /** @throws GraphLoadError when there is no such evaluator; the evaluator's own error. */
  async run({ file, name, run, example }: EvaluatorsRunParams): Promise<EvaluatorsRunResult> {
    const evaluators = await this.#load(file);
    const evaluator = evaluators.get(name);
    if (evaluator === undefined) {
      const names = [...evaluators.keys()].map((known) => `'${known}'`).join(', ') || 'none';
      throw new GraphLoadError(`${file} has no evaluator '${name}'. Its evaluators: ${names}.`);
    }
    const args = {
      ...run,
      run,
      example,
      inputs: example.inputs,
      outputs: await reviveMessages(run.outputs, file),
      referenceOutputs: await reviveMessages(example.outputs, file),
    };
    const traced = await traceEvaluator(file, name, async () => evaluator(args, example));
    const results: EvaluationResult[] = readResults(await traced.call(), name);
    const { runId } = traced;
    return {
      results: results.map((result) => (runId === undefined ? result : { source_run_id: runId, ...result })),
    };
  }

  /**
   * Loads a module's evaluators by name: the functions that it exports, directly or in its default export. A
   * default export that is a function itself is named for the file.
   */
  async #load(file: string): Promise<Map<string, Evaluator>> {
    await loadTypeScript(this.#projectDir, [file]);
    let module: unknown;
    try {
      module = await import(pathToFileURL(file).href);
    } catch (error) {
      throw await importError(file, error);
    }
    const found = new Map<string, Evaluator>();
    if (!isRecord(module)) return found;
    const inner = isRecord(module.default) ? module.default : {};
    for (const [name, value] of Object.entries({ ...inner, ...module })) {
      if (isPlainFunction(value)) found.set(name === 'default' ? path.parse(file).name : name, value);
    }
    return found;
  }
}
