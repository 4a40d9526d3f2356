import { resolve } from 'node:path';
import { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import { describeProof } from '../../proofs/describe-proof.ts';
import { findLastFailure, findRunOfTrace } from '../../proofs/find-run.ts';
import { NotRecordedError, obtainRecording } from '../../proofs/obtain-recording.ts';
import { type Proof, prove } from '../../proofs/prove.ts';
import { readRecordedRun } from '../../proofs/recorded-run.ts';
import type { Kinds } from '../../replay/run-file.ts';
import { describeProject } from '../../run-files/describe-project.ts';
import type { SavedRunRef } from '../../run-files/make-run-file.ts';
import { openRunFile, saveRunFile } from '../../run-files/run-file-on-disk.ts';
import { standInSecret } from '../../run-files/stand-in-variables.ts';
import { configOption, dataDirOption } from '../arguments/arguments.ts';
import { idArgument } from '../arguments/json-arguments.ts';
import { serveProject } from '../evaluation/served-project.ts';
import { connectToPlatform } from '../folders/agent-connection.ts';
import { findConfig } from '../folders/open-folder.ts';
import { placeText } from '../render/places.ts';
import { proofJson } from '../render/proof-json.ts';
import type { Context } from '../terminal/context.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { endWith, Failure } from '../terminal/failure.ts';
import { chooseProject } from '../tracing/projects.ts';

interface ReproduceOptions {
  readonly config: string;
  readonly output?: string;
  readonly runAgain?: true;
  readonly json?: true;
  readonly dataDir?: string;
}

export function reproduceCommand(context: Context): Command {
  return new Command('reproduce')
    .description(
      'save a failed run as a file, and reproduce its failure without a network; exit 0 when it does',
    )
    .argument('[trace]', 'trace ID, the same as the run ID; last is the newest that failed', 'last')
    .addOption(configOption())
    .option('--output <file>', 'file for the run (default: <graph>-<id>.agentrun)')
    .option('--run-again', 'if the run was not recorded, run its input again, with its models and tools')
    .option('--json', 'print the result of the replay as JSON')
    .addOption(dataDirOption())
    .action((trace: string, options: ReproduceOptions) => {
      const id = trace === 'last' ? trace : idArgument('trace', trace);
      return reproduce(context, id, options);
    });
}

async function reproduce(context: Context, trace: string, options: ReproduceOptions): Promise<void> {
  const { terminal, interrupted: signal } = context;
  const config = await findConfig(options.config);
  const session = await connectToPlatform(context, { ...options, client: 'agent-harbor reproduce' });
  try {
    await using project = await serveProject(session, config, signal);
    const ref = await findRun(context, project.client, trace);
    const described = await describeProject(config, context.environment);
    const recording = await obtainRecording(project.client, ref, {
      project: described,
      signal,
      runAgain: options.runAgain === true,
    }).catch((error: unknown) => {
      if (!(error instanceof NotRecordedError)) throw error;
      throw new Failure(
        error.canRunAgain ? `${error.message} To run it again, pass --run-again.` : error.message,
      );
    });
    const file = options.output ?? `${ref.graphId}-${recording.run.runId.slice(-8)}.agentrun`;
    await saveRunFile(resolve(file), recording.lines);
    const recorded = await readRecordedRun((kinds?: Kinds) => openRunFile(resolve(file), kinds));
    const proof = await prove(project, recorded, {
      tools: 'recorded',
      allowNew: false,
      evaluators: [],
      signal,
      secrets: [...described.secrets, standInSecret],
    });
    const isReproduced = proof.verdict === 'still_failing';
    if (options.json) terminal.json({ reproduced: isReproduced, file, ...proofJson(proof) });
    else terminal.line(describe(proof, file));
    endWith(isReproduced ? EXIT.ok : EXIT.failed);
  } finally {
    await session.close();
  }
}

/** Finds the run of a trace, or the last that failed. @throws Failure when there is none */
async function findRun(context: Context, client: Client, trace: string): Promise<SavedRunRef> {
  const { interrupted: signal } = context;
  if (trace !== 'last') {
    const found = await findRunOfTrace(client, trace, { signal });
    if (found !== undefined) return found;
    throw new Failure(
      `Trace ${trace} was not found, or is not the trace of a graph's run. List traces with agent-harbor traces.`,
    );
  }
  const { id, name } = await chooseProject(context, client, { connection: 'local' });
  const found = await findLastFailure(client, id, { signal });
  if (found !== undefined) return found;
  throw new Failure(`No failed run in project '${name}'. Pass the ID of a trace.`);
}

function describe(proof: Proof, file: string): string {
  const { verdict } = proof;
  if (verdict === 'still_failing') {
    const [, ...evidence] = describeProof(proof, placeText).split('\n');
    return [
      `Reproduced without a network: ${file}`,
      ...evidence,
      `When the code is fixed: agent-harbor prove ${file}`,
    ].join('\n');
  }
  if (verdict === 'unchanged')
    return `The run did not fail, and its replay gave the same result. Saved as ${file}.`;
  return `Not reproduced: the code has changed since, or it is not deterministic.\n${describeProof(proof, placeText)}`;
}
