import type { Divergence } from '../contract/agent-server/exchanges.ts';
import { nodePath } from './node-path.ts';

/** Why a request was not answered from the recording. */
export type DivergenceCause =
  /** The same request was recorded, but fewer times. */
  | { readonly kind: 'repeated' }
  /** All recorded requests had been answered. */
  | { readonly kind: 'exhausted' }
  /** The most similar recorded request differs. */
  | {
      readonly kind: 'different';
      /** The number of that request, from 1. */
      readonly number: number;
      /** The node that sent that request; undefined if that is unknown, or is the node of the new request. */
      readonly node: string | undefined;
    };

/** Why a replay diverged. A request that was only repeated too often has precedence over a similar one. */
export function causeOf({ place, nearest, repeated }: Divergence): DivergenceCause {
  if (repeated) return { kind: 'repeated' };
  if (nearest === null) return { kind: 'exhausted' };
  const { node } = nearest.place;
  const isOther = node !== '' && node !== place.node;
  return { kind: 'different', number: nearest.ordinal + 1, node: isOther ? nodePath(node) : undefined };
}
