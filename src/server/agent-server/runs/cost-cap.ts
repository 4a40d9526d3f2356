import type { ReachedCap } from './live-run.ts';

const dollars = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 6,
});

/**
 * Explains that a run was ended because of a cap.
 * @param cost the cost of the run, in dollars.
 */
export function capSentence({ of, cap, spent }: ReachedCap, cost: number): string {
  const ended = `The run was ended before another model call. It has cost ${dollars.format(cost)}`;
  const wayOut = 'Its state is kept: continue the thread';
  return of === 'run'
    ? `${ended}, and its cap is ${dollars.format(cap)}. ${wayOut} with a higher cap.`
    : `${ended}. All runs of the project have cost ${dollars.format(spent ?? cost)} today (UTC), and ` +
        `max_cost_per_day in langgraph.json allows ${dollars.format(cap)}. ${wayOut} tomorrow, or with a higher cap.`;
}

/** Explains why a cap cannot be enforced for a model call. */
export function unenforceableSentence(call: {
  readonly provider?: string | undefined;
  readonly model: string;
}): string {
  const name = [call.provider, call.model].filter(Boolean).join(' ') || 'a model without a name';
  return (
    `The cap on the run's cost cannot be enforced: there is no price for ${name}, or its answer does not report the tokens. ` +
    'Add a price to prices.json (`agent-harbor prices` shows where the file is).'
  );
}
