import type { Difference, Divergence } from '../contract/agent-server/exchanges.ts';
import { shorten } from '../process/shorten.ts';

const MAX_CHARACTERS = 300;

/** Describes a divergence: which node sent which request, and how it differs from the nearest recorded request. */
export function describeDivergence(divergence: Divergence): string {
  const { place, request, after, nearest, repeated, differences } = divergence;
  const where = place.node === '' ? 'Outside of nodes' : `Node '${place.node.replaceAll('|', ' › ')}'`;
  const what = `${where} sent a request that was not recorded: ${request.method} ${request.url} (${after === 0 ? 'the first of the run' : `after ${after} answered from the recording`}).`;
  if (repeated) return `${what}\nThe same request was recorded, but fewer times.`;
  if (nearest === null) return `${what}\nAll recorded requests had been answered.`;
  const isKnown = nearest.place.node !== '' && nearest.place.node !== place.node;
  const from = isKnown ? ` of node '${nearest.place.node}'` : '';
  return [
    what,
    `The nearest recording is request ${nearest.ordinal + 1}${from}. It differs in:`,
    describeDifferences(differences),
  ].join('\n');
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
