import { continueRun } from './continue-run.ts';
import { debug } from './debug.ts';
import { keepNodeResult } from './keep-node-result.ts';
import { run } from './run.ts';
import { runFromHere } from './run-from-here.ts';
import { runNode } from './run-node.ts';
import { runSelection } from './run-selection.ts';
import { splitRunPanel } from './split-run-panel.ts';
import { stepRun } from './step-run.ts';

/** Commands that run graphs. */
export const runCommands = {
  continueRun,
  debug,
  keepNodeResult,
  run,
  runFromHere,
  runNode,
  runSelection,
  splitRunPanel,
  stepRun,
};
