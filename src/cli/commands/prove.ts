import { resolve } from 'node:path';
import { Command } from 'commander';
import { selectEvaluators } from '../../evaluation/list-evaluators.ts';
import { describeProof } from '../../proofs/describe-proof.ts';
import { prove } from '../../proofs/prove.ts';
import { readRecordedRun } from '../../proofs/recorded-run.ts';
import type { Kinds } from '../../replay/run-file.ts';
import { describeProject } from '../../run-files/describe-project.ts';
import { openRunFile } from '../../run-files/run-file-on-disk.ts';
import { standInSecret, standInVariables } from '../../run-files/stand-in-variables.ts';
import { configOption, dataDirOption, listArgument } from '../arguments/arguments.ts';
import { serveProject } from '../evaluation/served-project.ts';
import { connectToPlatform } from '../folders/agent-connection.ts';
import { findConfig } from '../folders/open-folder.ts';
import { placeText } from '../render/places.ts';
import { proofJson } from '../render/proof-json.ts';
import { unreadable, untestable } from '../runs/run-file-failures.ts';
import type { Context } from '../terminal/context.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { endWith } from '../terminal/failure.ts';

interface ProveCommandOptions {
  readonly config: string;
  readonly evaluator?: readonly string[];
  readonly allowNew?: true;
  readonly liveTools?: true;
  readonly keep?: true;
  readonly json?: true;
  readonly dataDir?: string;
}

export function proveCommand(context: Context): Command {
  return new Command('prove')
    .description('check whether a change fixes the failure of a saved run; exit 0 if it does, 1 if not')
    .argument('<file>', 'run file, such as bug.agentrun')
    .addOption(configOption())
    .option(
      '--evaluator <names>',
      'evaluators that judge the result of the run, separated by commas',
      listArgument,
    )
    .option('--live-tools', 'send requests that are not for models, instead of answering them from the file')
    .option('--allow-new', 'send requests that were not recorded, instead of stopping at the first')
    .option('--keep', 'keep the thread of the replay')
    .option('--json', 'print the proof as JSON')
    .addOption(dataDirOption())
    .action((file: string, options: ProveCommandOptions) => proveFile(context, file, options));
}

async function proveFile(context: Context, file: string, options: ProveCommandOptions): Promise<void> {
  const { terminal } = context;
  const open = (kinds?: Kinds) => openRunFile(resolve(file), kinds);
  const recorded = await readRecordedRun(open).catch((error: unknown) => unreadable(file, error));
  const { head } = recorded.outline;
  const config = await findConfig(options.config).catch(untestable);
  const session = await connectToPlatform(context, { ...options, client: 'agent-harbor prove' });
  try {
    const loading = serveProject(session, config, context.interrupted, standInVariables(head));
    await using project = await loading.catch((error: unknown) => {
      if (context.interrupted.aborted) throw error;
      return untestable(error);
    });
    const failure = project.failureOf(head.graph_id);
    if (failure !== undefined) untestable(new Error(`Graph '${head.graph_id}' failed to load: ${failure}`));
    const { secrets } = await describeProject(config, context.environment);
    const { evaluator, liveTools, allowNew, keep } = options;
    const proof = await prove(project, recorded, {
      tools: liveTools ? 'live' : 'recorded',
      allowNew: allowNew === true,
      keep: keep === true,
      secrets: [...secrets, standInSecret],
      evaluators: evaluator === undefined ? [] : selectEvaluators(project.evaluators, evaluator),
      signal: context.interrupted,
    });
    if (options.json) terminal.json(proofJson(proof));
    else terminal.line(describeProof(proof, placeText));
    if (keep) terminal.note(terminal.colors.dim(`thread ${proof.outcome.threadId}`));
    endWith(proof.isProved ? EXIT.ok : EXIT.failed);
  } finally {
    await session.close();
  }
}
