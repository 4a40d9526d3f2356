import type { RunPanelState } from '../../../extension/panels/run/messages.ts';
import { duration } from '../../shared/duration.ts';
import type { Observed, ObservedNode } from './observed.ts';

type HeatKind = RunPanelState['heat'];

/** The time, tokens or errors of a node, compared with other nodes. */
export interface Heat {
  /** The part of the highest value of a node, from 0 to 1. */
  readonly share: number;
  readonly text: string;
}

/** The heat of each drawn node, by its ID, from all of its known executions. */
export function heatOf({ nodes }: Observed, kind: HeatKind): ReadonlyMap<string, Heat> {
  if (kind === 'none') return new Map();
  const values = [...nodes].flatMap(([id, node]): [string, number][] => {
    const value = amountOf(node, kind);
    return value === undefined ? [] : [[id, value]];
  });
  const most = Math.max(0, ...values.map(([, value]) => value));
  return new Map(
    values.map(([id, value]) => [
      id,
      {
        share: most === 0 ? 0 : value / most,
        text: kind === 'time' ? duration(value) : value.toLocaleString(),
      },
    ]),
  );
}

function amountOf({ ms, tokens, errors }: ObservedNode, kind: Exclude<HeatKind, 'none'>): number | undefined {
  return { time: ms, tokens, errors }[kind];
}
