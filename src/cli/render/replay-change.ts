import { compareValues } from '../../replay/compare-requests.ts';
import { describeDifferences } from '../../replay/divergence-text.ts';
import { nodePath } from '../../replay/node-path.ts';

/** The nodes of each superstep, by graph; empty for the root. */
type Steps = Readonly<Record<string, readonly (readonly string[])[]>>;

/** Lists the differences between the recorded value and the new one, one line per path. */
export function describeChange(recorded: unknown, now: unknown): string {
  return describeDifferences(compareValues(recorded, now));
}

/** Describes the first superstep of each graph that ran other nodes. Later ones usually differ as a consequence. */
export function describeSteps(recorded: Steps, now: Steps): string {
  const graphs = new Set([...Object.keys(recorded), ...Object.keys(now)]);
  const lines = [...graphs].flatMap((graph) => {
    const [before = [], after = []] = [recorded[graph], now[graph]];
    const nodesAt = (at: number) => [before[at], after[at]].map((nodes) => nodes?.join(', ') ?? '(nothing)');
    for (let at = 0; at < Math.max(before.length, after.length); at++) {
      const [was = '', is = ''] = nodesAt(at);
      if (was === is) continue;
      const where = graph === '' ? '' : ` of ${nodePath(graph)}`;
      return [`  superstep ${at + 1}${where}`, `  - ${was}`, `  + ${is}`];
    }
    return [];
  });
  return lines.join('\n');
}
