import { PLATFORM_TOOLS } from './platform-tools.ts';
import type { Tool } from './tool.ts';
import type { ProjectToolContext } from './tool-context.ts';
import { prove } from './tools/prove.ts';
import { reproduce } from './tools/reproduce.ts';
import { runEvaluation } from './tools/run-evaluation.ts';

/** All tools, including those that need the project's folder on this machine. */
export const PROJECT_TOOLS: readonly Tool<ProjectToolContext>[] = [
  ...PLATFORM_TOOLS,
  reproduce,
  prove,
  runEvaluation,
];
