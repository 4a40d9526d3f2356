import { Command } from 'commander';
import { scoreArgument } from '../arguments.ts';
import type { Context } from '../context.ts';
import { usage } from '../failure.ts';
import { idArgument } from '../json-arguments.ts';
import { feedbackLine } from '../render/trace-tree.ts';
import { addPlatformOptions, type PlatformOptions, withPlatform } from '../tracing/platform.ts';

interface FeedbackOptions extends PlatformOptions {
  readonly key: string;
  readonly score?: number;
  readonly value?: string;
  readonly comment?: string;
}

export function feedbackCommand(context: Context): Command {
  const command = new Command('feedback')
    .description('judge a run, or one span of its trace')
    .argument('<id>', "the run's ID, or a span's")
    .option('--key <name>', 'what is judged, such as correctness', 'helpful')
    .option('--score <number>', 'how good it is, such as 1 or 0', scoreArgument)
    .option('--value <text>', 'a value that is no number, such as too long')
    .option('--comment <text>', 'why');
  return addPlatformOptions(command).action((id: string, options: FeedbackOptions) => {
    const runId = idArgument('run', id);
    const { key, score, value, comment } = options;
    if (score === undefined && value === undefined && comment === undefined) {
      throw usage('Say what you think of it: --score 1, --value or --comment.');
    }
    return withPlatform(context, options, async ({ tracing }) => {
      const { terminal, interrupted: signal } = context;
      // Feedback on a run that is not there would be taken, for one that may still come.
      await tracing.runs.get({ params: { run_id: runId } }, { signal });
      const body = { run_id: runId, key, score, value, comment };
      const feedback = await tracing.feedback.create({ body }, { signal });
      terminal.line(options.json ? JSON.stringify(feedback) : feedbackLine(feedback, terminal.colors));
    });
  });
}
