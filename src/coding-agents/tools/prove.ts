import { z } from 'zod';
import { selectEvaluators } from '../../evaluation/list-evaluators.ts';
import { prove as proveRun } from '../../proofs/prove.ts';
import { readRecordedRun } from '../../proofs/recorded-run.ts';
import type { Kinds } from '../../replay/run-file.ts';
import { openRunFile } from '../../run-files/run-file-on-disk.ts';
import { standInSecret, standInVariables } from '../../run-files/stand-in-variables.ts';
import { answerOf, ProofAnswer } from '../proof-answer.ts';
import { runFilePath } from '../run-file-path.ts';
import { defineProjectTool } from '../tool.ts';
import { requireLoaded } from '../tool-context.ts';

export const prove = defineProjectTool({
  name: 'prove',
  title: 'Prove',
  description:
    'Replays a run file from reproduce on the current code, answered from the file and without a network, and says whether the failure is gone, still there, or different. If the run did not fail but its result was wrong, name evaluators.',
  effect: 'replays',
  input: z.object({
    file: z.string().min(1).describe('Run file in the project, from reproduce'),
    evaluators: z
      .array(z.string())
      .default([])
      .describe('Functions in the folder evals that judge the result of the run'),
    allow_new: z.boolean().default(false).describe('Sends requests that were not recorded'),
  }),
  output: ProofAnswer,
  async run(context, { file, evaluators, allow_new }) {
    const { signal } = context;
    const config = await context.config();
    const target = await runFilePath(config, file);
    const recorded = await readRecordedRun((kinds?: Kinds) => openRunFile(target, kinds));
    const { head } = recorded.outline;
    const { secrets } = await context.describe();
    await using project = await context.serve(standInVariables(head));
    requireLoaded(project, head.graph_id);
    const proof = await proveRun(project, recorded, {
      tools: 'recorded',
      allowNew: allow_new,
      secrets: [...secrets, standInSecret],
      evaluators: evaluators.length === 0 ? [] : selectEvaluators(project.evaluators, evaluators),
      signal,
    });
    return answerOf(proof, config);
  },
});
