import { Command } from 'commander';
import { formatCount } from '../../process/format-count.ts';
import type { Context } from '../terminal/context.ts';
import { addPlatformOptions, type PlatformOptions, withPlatform } from '../tracing/platform.ts';
import { requireProject } from '../tracing/projects.ts';

export function pricesCommand(context: Context): Command {
  const command = new Command('prices').description(
    'show the prices that are used to compute the costs of traces',
  );
  const show = addPlatformOptions(command).action((options: PlatformOptions) =>
    withPlatform(context, options, async ({ tracing }) => {
      const { terminal, interrupted: signal } = context;
      const prices = await tracing.prices.get({}, { signal });
      if (options.json) return terminal.json(prices);
      terminal.line(`Prices of ${prices.source} ${prices.version}, published on ${prices.date}.`);
      terminal.line(`Your own prices, in this file, take precedence: ${prices.file}.`);
      for (const file of prices.project_files ?? [])
        terminal.line(`The prices of this project take precedence over both: ${file}.`);
      for (const [file, problem] of Object.entries(prices.problems))
        terminal.line(terminal.colors.red(`${file} is not used: ${problem}`));
    }),
  );
  return show.addCommand(
    addPlatformOptions(
      new Command('apply')
        .description('recompute the costs of stored traces; costs sent by programs are kept')
        .option('--project <name>', 'only for this tracing project'),
    ).action((options: PlatformOptions & { readonly project?: string }) =>
      withPlatform(context, options, async (client) => {
        const { terminal, interrupted: signal } = context;
        const project =
          options.project === undefined ? undefined : await requireProject(context, client, options.project);
        const body = project === undefined ? {} : { session_id: project.id };
        const applied = await client.tracing.prices.apply({ body }, { signal });
        if (options.json) return terminal.json(applied);
        const { changed, without_price } = applied;
        terminal.line(`Updated the cost of ${formatCount(changed, 'model call')}.`);
        for (const { provider, model, runs } of without_price) {
          const name = [provider, model].filter(Boolean).join(' ') || 'a model without a name';
          terminal.line(`No price for ${name}: ${formatCount(runs, 'call')}.`);
        }
      }),
    ),
  );
}
