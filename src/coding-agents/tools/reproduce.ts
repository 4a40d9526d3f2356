import { z } from 'zod';
import { Uuid } from '../../contract/fields.ts';
import { findRunOfTrace } from '../../proofs/find-run.ts';
import { obtainRecording } from '../../proofs/obtain-recording.ts';
import { prove } from '../../proofs/prove.ts';
import { readRecordedRun } from '../../proofs/recorded-run.ts';
import type { Kinds } from '../../replay/run-file.ts';
import { openRunFile, saveRunFile } from '../../run-files/run-file-on-disk.ts';
import { standInSecret } from '../../run-files/stand-in-variables.ts';
import { answerOf, ProofAnswer } from '../proof-answer.ts';
import { runFilePath } from '../run-file-path.ts';
import { defineProjectTool } from '../tool.ts';
import { requireLoaded } from '../tool-context.ts';

export const reproduce = defineProjectTool({
  name: 'reproduce',
  title: 'Reproduce',
  description:
    'Saves a failed run as a file in the project, with the answers of its models and tools, and replays it without a network to check that it fails in the same way. Then fix the code and call prove with the file.',
  effect: 'runs',
  input: z.object({
    trace_id: Uuid.describe('Trace of a run that failed'),
    file: z.string().optional().describe('Run file to write in the project, ending with .agentrun'),
    run_again: z
      .boolean()
      .default(false)
      .describe('If the run was not recorded, runs its input again with its models and tools'),
  }),
  output: ProofAnswer.extend({
    file: z.string(),
    reproduced: z.boolean().describe('Whether it fails again in the same way'),
    ran_again: z.boolean(),
    not_deterministic: z.boolean().describe('Whether the same code behaved differently this time'),
  }),
  async run(context, { trace_id, file, run_again }) {
    const { signal } = context;
    const config = await context.config();
    const described = await context.describe();
    await using project = await context.serve();
    const ref = await findRunOfTrace(project.client, trace_id, { signal });
    if (ref === undefined) {
      throw new Error(`Trace ${trace_id} was not found, or is not the trace of a graph's run.`);
    }
    requireLoaded(project, ref.graphId);
    const recording = await obtainRecording(project.client, ref, {
      project: described,
      signal,
      runAgain: run_again,
    });
    const name = file ?? `${ref.graphId}-${recording.run.runId.slice(-8)}.agentrun`;
    const target = await runFilePath(config, name);
    await saveRunFile(target, recording.lines);
    const recorded = await readRecordedRun((kinds?: Kinds) => openRunFile(target, kinds));
    const proof = await prove(project, recorded, {
      tools: 'recorded',
      allowNew: false,
      evaluators: [],
      signal,
      secrets: [...described.secrets, standInSecret],
    });
    const reproduced = proof.verdict === 'still_failing';
    return {
      ...answerOf(proof, config),
      file: name,
      reproduced,
      ran_again: recording.ranAgain,
      not_deterministic: !reproduced && proof.verdict !== 'unchanged',
    };
  },
});
