import type { Tool } from './tool.ts';
import type { ToolContext } from './tool-context.ts';
import { answer } from './tools/answer.ts';
import { compareTraces } from './tools/compare-traces.ts';
import { errorsInFile } from './tools/errors-in-file.ts';
import { graphStructure } from './tools/graph-structure.ts';
import { listTraces } from './tools/list-traces.ts';
import { readThread } from './tools/read-thread.ts';
import { readTrace } from './tools/read-trace.ts';
import { runGraph } from './tools/run-graph.ts';
import { runNode } from './tools/run-node.ts';

/** The tools that need no project folder, in the order in which an agent uses them to find a fault. */
export const PLATFORM_TOOLS: readonly Tool<ToolContext>[] = [
  listTraces,
  readTrace,
  compareTraces,
  errorsInFile,
  readThread,
  graphStructure,
  runNode,
  runGraph,
  answer,
];
