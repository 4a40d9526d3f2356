import type { ReachedCap } from './live-run.ts';

const dollars = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumSignificantDigits: 4,
});

/**
 * Explains why a run was ended.
 * @param cost the cost of the run, in dollars.
 */
export function capSentence({ of, cap, spent }: ReachedCap, cost: number): string {
  const kept = 'Its state is kept: continue the thread';
  const has = `The run was ended before another model call. It has cost ${dollars.format(cost)}`;
  return of === 'run'
    ? `${has}, and its cap is ${dollars.format(cap)}. ${kept} with a higher cap.`
    : `${has}, and all runs of the project ${dollars.format(spent ?? cost)} today (UTC), of which ` +
        `max_cost_per_day in langgraph.json allows ${dollars.format(cap)}. ${kept} tomorrow, or with a higher cap.`;
}

/** Reports that a cap cannot be enforced. */
export function unheldSentence(call: {
  readonly provider?: string | undefined;
  readonly model: string;
}): string {
  const name = [call.provider, call.model].filter(Boolean).join(' ') || 'a model without a name';
  return (
    `The cap on the run's cost cannot be enforced: there is no price for ${name}, or it does not say what it used. ` +
    'Give it a price in prices.json (`agent-harbor prices` says where).'
  );
}
