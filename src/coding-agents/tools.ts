import type { Effect, Tool } from './tool.ts';
import { answer } from './tools/answer.ts';
import { compareTraces } from './tools/compare-traces.ts';
import { errorsInFile } from './tools/errors-in-file.ts';
import { graphStructure } from './tools/graph-structure.ts';
import { listTraces } from './tools/list-traces.ts';
import { prove } from './tools/prove.ts';
import { readThread } from './tools/read-thread.ts';
import { readTrace } from './tools/read-trace.ts';
import { reproduce } from './tools/reproduce.ts';
import { runEvaluation } from './tools/run-evaluation.ts';
import { runGraph } from './tools/run-graph.ts';
import { runNode } from './tools/run-node.ts';

/** All tools, in the order in which a fault is looked for. */
const TOOLS: readonly Tool[] = [
  listTraces,
  readTrace,
  compareTraces,
  errorsInFile,
  readThread,
  graphStructure,
  reproduce,
  prove,
  runNode,
  runGraph,
  answer,
  runEvaluation,
];

/** Effects of tools, the least first. */
export const EFFECTS: readonly Effect[] = ['reads', 'replays', 'runs'];

/** The tools that do no more than what is allowed. */
export function toolsUpTo(most: Effect): readonly Tool[] {
  return TOOLS.filter(({ effect }) => EFFECTS.indexOf(effect) <= EFFECTS.indexOf(most));
}
