import { Command } from 'commander';
import { scoreArgument } from '../arguments/arguments.ts';
import { idArgument } from '../arguments/json-arguments.ts';
import { feedbackLine } from '../render/trace-tree.ts';
import type { Context } from '../terminal/context.ts';
import { usage } from '../terminal/failure.ts';
import { addPlatformOptions, type PlatformOptions, withPlatform } from '../tracing/platform.ts';

interface FeedbackOptions extends PlatformOptions {
  readonly key: string;
  readonly score?: number;
  readonly value?: string;
  readonly comment?: string;
}

export function feedbackCommand(context: Context): Command {
  const command = new Command('feedback')
    .description('add feedback to a run or a span')
    .argument('<id>', 'run or span ID')
    .argument('[score]', 'good (1), bad (0) or a number, as with --score', verdictArgument)
    .option('--key <name>', 'feedback key, such as correctness', 'helpful')
    .option('--score <number>', 'score, such as 1 or 0', scoreArgument)
    .option('--value <text>', 'value that is not a number, such as "too long"')
    .option('--comment <text>', 'why');
  return addPlatformOptions(command).action(
    (id: string, verdict: number | undefined, options: FeedbackOptions) => {
      const runId = idArgument('run', id);
      const { key, score = verdict, value, comment } = options;
      if (score === undefined && value === undefined && comment === undefined) {
        throw usage('Pass good or bad, --score, --value or --comment.');
      }
      return withPlatform(context, options, async ({ tracing }) => {
        const { terminal, interrupted: signal } = context;
        // The server accepts feedback on runs that may still arrive, so check that the run exists.
        await tracing.runs.get({ params: { run_id: runId } }, { signal });
        const body = { run_id: runId, key, score, value, comment };
        const feedback = await tracing.feedback.create({ body }, { signal });
        if (options.json) terminal.json(feedback);
        else terminal.line(feedbackLine(feedback, terminal.colors));
      });
    },
  );
}

function verdictArgument(text: string): number {
  if (text === 'good') return 1;
  return text === 'bad' ? 0 : scoreArgument(text);
}
