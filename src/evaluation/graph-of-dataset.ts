import { z } from 'zod';
import { EvaluationError } from './evaluation-error.ts';

const Config = z.looseObject({ graphs: z.record(z.string(), z.unknown()) });

/**
 * The graph that a dataset evaluates.
 * @param named the graph that the dataset names, if any
 * @param graphs the graphs in langgraph.json
 * @throws EvaluationError when the graph does not exist, or the dataset names none and there are several
 */
export function graphOf(named: string | undefined, graphs: readonly string[]): string {
  const names = graphs.map((name) => `'${name}'`).join(', ');
  if (named !== undefined) {
    if (graphs.includes(named)) return named;
    throw new EvaluationError(`langgraph.json has no graph '${named}'. Its graphs: ${names}.`);
  }
  const [only, ...others] = graphs;
  if (only !== undefined && others.length === 0) return only;
  throw new EvaluationError(
    `langgraph.json has ${graphs.length} graphs. Name one in the first line of the dataset: {"dataset": {"graph": "${only ?? 'agent'}"}}.`,
  );
}

/** The names of a langgraph.json's graphs. @throws EvaluationError when it cannot be read. */
export function readGraphNames(text: string): string[] {
  try {
    return Object.keys(Config.parse(JSON.parse(text)).graphs);
  } catch {
    throw new EvaluationError(
      'langgraph.json is not valid. Run agent-harbor check to see what is wrong with it.',
    );
  }
}
