import type { Applied, prices } from '../../../contract/tracing/prices.ts';
import type { Handlers } from '../../http/router.ts';
import type { PricedAgain } from '../ingestion/price-again.ts';
import type { TracingServices } from '../services/services.ts';

/** Handlers for the price lists, and for pricing stored runs by them. */
export function priceHandlers({ write, publish }: TracingServices): Handlers<typeof prices> {
  return {
    // Only the writing thread has the price lists.
    get: ({ caller: { workspaceId } }) => write('describePrices', { workspaceId }),
    apply: async ({ body, caller: { workspaceId } }) => {
      const unknown = new Map<string, Applied['without_price'][number]>();
      const sessions = new Set<string>();
      let changed = 0;
      let after: number | undefined = 0;
      while (after !== undefined) {
        const done: PricedAgain = await write('priceAgain', {
          workspaceId,
          sessionId: body.session_id,
          after,
        });
        changed += done.changed;
        for (const id of done.sessions) sessions.add(id);
        for (const { provider, model } of done.withoutPrice) {
          const key = `${provider}\n${model}`;
          unknown.set(key, { provider, model, runs: (unknown.get(key)?.runs ?? 0) + 1 });
        }
        after = done.next;
      }
      publish(
        workspaceId,
        [...sessions].map((id) => ({ resource: 'project', action: 'updated', id })),
      );
      return { changed, without_price: [...unknown.values()].toSorted((a, b) => b.runs - a.runs) };
    },
  };
}
