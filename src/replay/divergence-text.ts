import type { Difference, Divergence } from '../contract/agent-server/exchanges.ts';
import { shorten } from '../process/shorten.ts';
import { causeOf } from './divergence-cause.ts';
import { nodePath } from './node-path.ts';

/** Longer values in a list of differences are shortened. */
const MAX_CHARACTERS = 300;

/** Describes a divergence: which node sent which request, and how the most similar recorded request differs from it. */
export function describeDivergence(divergence: Divergence): string {
  const { place, request, after, differences } = divergence;
  const sender = place.node === '' ? 'Code outside any node' : `Node '${nodePath(place.node)}'`;
  const order = after === 0 ? 'the first of the run' : `after ${after} answered from the recording`;
  const what = `${sender} sent a request that was not recorded: ${request.method} ${request.url} (${order}).`;
  const cause = causeOf(divergence);
  switch (cause.kind) {
    case 'repeated':
      return `${what}\nThe same request was recorded, but fewer times.`;
    case 'exhausted':
      return `${what}\nAll recorded requests had been answered.`;
    case 'different': {
      const from = cause.node === undefined ? '' : `, of node '${cause.node}'`;
      const nearest = `The most similar recorded request is number ${cause.number}${from}. It differs in:`;
      return [what, nearest, describeDifferences(differences)].join('\n');
    }
  }
}

/** Formats differences as a diff does: `-` was recorded, `+` is now. */
export function describeDifferences(differences: readonly Difference[]): string {
  return differences.flatMap(lines).join('\n');
}

function lines({ at, recorded, now }: Difference): string[] {
  return [`  ${at}`, `  - ${inLine(recorded)}`, `  + ${inLine(now)}`];
}

function inLine(value: unknown): string {
  return value === undefined ? '(nothing)' : shorten(JSON.stringify(value), MAX_CHARACTERS);
}
