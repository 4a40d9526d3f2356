import { resolve } from 'node:path';
import { Command } from 'commander';
import { formatCount } from '../../process/format-count.ts';
import { describeDivergence } from '../../replay/divergence-text.ts';
import { nodePath } from '../../replay/node-path.ts';
import type { Kinds } from '../../replay/run-file.ts';
import { describeEnds } from '../../run-files/describe-ends.ts';
import { describeProject } from '../../run-files/describe-project.ts';
import type { ReplayOutcome } from '../../run-files/replay-outcome.ts';
import { replayRunFile } from '../../run-files/replay-run-file.ts';
import { openRunFile } from '../../run-files/run-file-on-disk.ts';
import { type OpenLines, readOutline } from '../../run-files/run-file-outline.ts';
import { findStart } from '../../run-files/run-file-states.ts';
import { standInSecret, standInVariables } from '../../run-files/stand-in-variables.ts';
import { configOption, dataDirOption } from '../arguments/arguments.ts';
import { connectToFolder } from '../folders/agent-connection.ts';
import { findConfig } from '../folders/open-folder.ts';
import { outcomeJson } from '../render/outcome-json.ts';
import { describeChange, describeSteps } from '../render/replay-change.ts';
import { unreadable, untestable } from '../runs/run-file-failures.ts';
import type { Context } from '../terminal/context.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { endWith } from '../terminal/failure.ts';

interface ReplayCommandOptions {
  readonly config: string;
  readonly dataDir?: string;
  readonly liveTools?: true;
  readonly allowNew?: true;
  readonly keep?: true;
  readonly from?: string;
  readonly json?: true;
}

export function replayCommand(context: Context): Command {
  return new Command('replay')
    .description('repeat a saved run, with models and tools answered from its file')
    .argument('<file>', 'run file, such as bug.agentrun')
    .addOption(configOption())
    .option('--live-tools', 'send requests that are not for models, instead of answering them from the file')
    .option('--allow-new', 'send requests that were not recorded, instead of stopping at the first')
    .option('--from <checkpoint>', 'start from this state of the run instead of its beginning')
    .option('--keep', 'keep the thread of the replay')
    .option('--json', 'print the outcome as JSON')
    .addOption(dataDirOption())
    .action((file: string, options: ReplayCommandOptions) => replay(context, file, options));
}

async function replay(context: Context, file: string, options: ReplayCommandOptions): Promise<void> {
  const { terminal, interrupted: signal } = context;
  const open = (kinds?: Kinds) => openRunFile(resolve(file), kinds);
  const { outline, from } = await readStart(open, options.from).catch((error: unknown) =>
    unreadable(file, error),
  );
  const { head } = outline;
  const variables = standInVariables(head);
  const configPath = await findConfig(options.config).catch(untestable);
  const session = await connectToFolder(context, { ...options, graph: head.graph_id, variables }).catch(
    (error: unknown) => {
      if (signal.aborted) throw error;
      return untestable(error);
    },
  );
  const { client } = session;
  try {
    const { secrets } = await describeProject(configPath, context.environment);
    let threadId: string | undefined;
    const outcome = await replayRunFile(client, open, {
      tools: options.liveTools ? 'live' : 'recorded',
      allowNew: options.allowNew === true,
      from,
      outline,
      secrets: [...secrets, standInSecret],
      signal,
      onThread: (id) => {
        threadId = id;
      },
    }).finally(async () => {
      if (threadId !== undefined && !options.keep) {
        // A thread that could not be deleted does not change the result of the replay.
        await client.threads.delete({ params: { thread_id: threadId } }).catch(() => {});
      }
    });
    if (options.json) terminal.json(outcomeJson(outcome));
    else terminal.line(describeOutcome(outcome));
    if (options.keep) terminal.note(terminal.colors.dim(`thread ${outcome.threadId}`));
    endWith(outcome.kind === 'same' ? EXIT.ok : EXIT.failed);
  } finally {
    await session.close();
  }
}

/**
 * Reads the outline of a run file and the state to start from.
 * @param checkpoint the ID of the state; undefined for the beginning of the run
 * @throws RunFileError
 */
async function readStart(open: OpenLines, checkpoint: string | undefined) {
  const outline = await readOutline(open);
  const from = checkpoint === undefined ? undefined : await findStart(open, outline, checkpoint);
  return { outline, from };
}

function describeOutcome(outcome: ReplayOutcome): string {
  const { answered, live } = outcome;
  const counts = `${formatCount(answered, 'request')} answered from the file${live === 0 ? '' : `, ${live} sent`}`;
  switch (outcome.kind) {
    case 'same':
      return `The run is the same: same final values and order of nodes (${counts}).`;
    case 'diverged':
      return describeDivergence(outcome.divergence);
    case 'ended':
      return `${outcome.ends === undefined ? '' : describeEnds(outcome.ends)} (${counts})`;
    case 'unused': {
      const [first] = outcome.unused;
      const node = nodePath(first?.place.node ?? '');
      const which =
        first === undefined ? '' : `: ${first.request.method} ${first.request.url} of node '${node}'`;
      return `The run ended without a request that was recorded${which} (${counts}).`;
    }
    case 'steps':
      return `The steps differ from the recording (${counts}).\n${describeSteps(outcome.recorded, outcome.now)}`;
    case 'values':
      return `The values differ from the recording (${counts}).\n${describeChange(outcome.recorded, outcome.now)}`;
  }
}
