import { Command } from 'commander';
import type { z } from 'zod';
import type { Session } from '../../../contract/tracing/sessions.ts';
import { Statistics } from '../../../experiments/statistics.ts';
import { costText } from '../../../terms/money.ts';
import { addPageOptions, type PageOptions, readPages, showPage } from '../../render/paging.ts';
import type { Column } from '../../render/table.ts';
import { durationText, localTime } from '../../render/time.ts';
import { feedbackText } from '../../render/traces.ts';
import type { Context } from '../../terminal/context.ts';
import { type PlatformOptions, withPlatform } from '../../tracing/platform.ts';
import { requireDataset } from '../../tracing/require-dataset.ts';

const COLUMNS: readonly Column<Session>[] = [
  { title: 'EXPERIMENT', cell: ({ name }) => name, flexible: true },
  { title: 'STARTED', cell: ({ start_time }) => localTime(start_time) },
  { title: 'RUNS', cell: (session) => String(statisticsOf(session).run_count ?? '') },
  { title: 'FAILED', cell: (session) => percentText(statisticsOf(session).error_rate) },
  { title: 'TOOK', cell: (session) => secondsText(statisticsOf(session).latency_p50) },
  { title: 'COST', cell: (session) => costText(statisticsOf(session).total_cost) },
  { title: 'FEEDBACK', cell: (session) => feedbackText(statisticsOf(session)), flexible: true },
  { title: 'ID', cell: ({ id }) => id },
];

export function listExperiments(context: Context): Command {
  const command = new Command('experiments')
    .description(
      'list the experiments on a dataset, newest first, with their average scores, median time and cost',
    )
    .argument('<dataset>', 'name or ID');
  return addPageOptions(command).action((name: string, options: PlatformOptions & PageOptions) =>
    withPlatform(context, options, async (client) => {
      const { id } = await requireDataset(context, client, name);
      const page = await readPages(options, 100, (paging, { onAnswer }) =>
        client.tracing.sessions.list(
          { query: { ...paging, reference_dataset: [id], include_stats: true } },
          { signal: context.interrupted, onAnswer },
        ),
      );
      showPage(context, page, COLUMNS, { ...options, empty: 'No experiments yet.' });
    }),
  );
}

function statisticsOf(session: Session): z.output<typeof Statistics> {
  return Statistics.parse(session);
}

/** A share as a percentage; empty for 0, and if it is unknown. */
function percentText(share: number | null | undefined): string {
  return share ? `${Math.round(share * 100)} %` : '';
}

function secondsText(seconds: number | null | undefined): string {
  return seconds === null || seconds === undefined ? '' : durationText(seconds * 1_000);
}
