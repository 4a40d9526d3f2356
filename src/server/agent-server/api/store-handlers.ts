import type { store as storeEndpoints } from '../../../contract/agent-server/store.ts';
import type { StoreItem } from '../../../runtime/protocol/protocol.ts';
import type { Handlers } from '../../http/router.ts';
import type { RoomOptions } from '../agent-server-options.ts';
import type { ItemStore } from '../data/items/item-store.ts';

/**
 * Handlers for the store (docs/interface/agent-server.md#store): items by namespace and key, which can be
 * searched by filter and, with `store.index`, by meaning. Times to live are in minutes. The answer for a
 * missing item is null.
 */
export function storeHandlers(
  items: ItemStore,
  room: Pick<RoomOptions, 'checkStorage'>,
): Handlers<typeof storeEndpoints> {
  return {
    put: async ({ body }) => {
      await room.checkStorage();
      await items.put({
        op: 'put',
        namespace: body.namespace,
        key: body.key,
        value: body.value,
        ...(body.index == null ? {} : { index: body.index }),
        ...(body.ttl == null ? {} : { ttl: body.ttl }),
      });
      return undefined;
    },
    get: async ({ query }) => {
      const item = await items.get(query.namespace, query.key, query.refresh_ttl);
      return item === null ? null : toItem(item);
    },
    delete: async ({ body }) => {
      await items.put({ op: 'put', namespace: body.namespace, key: body.key, value: null });
      return undefined;
    },
    search: async ({ body }) => {
      const found = await items.search({
        namespace_prefix: body.namespace_prefix ?? [],
        limit: body.limit,
        offset: body.offset,
        ...(body.filter == null ? {} : { filter: body.filter }),
        ...(body.query == null ? {} : { query: body.query }),
        ...(body.refresh_ttl == null ? {} : { refresh_ttl: body.refresh_ttl }),
      });
      return { items: found.map(toItem) };
    },
    namespaces: async ({ body }) => ({
      namespaces: await items.listNamespaces({
        limit: body.limit,
        offset: body.offset,
        ...(body.prefix == null ? {} : { prefix: body.prefix }),
        ...(body.suffix == null ? {} : { suffix: body.suffix }),
        ...(body.max_depth == null ? {} : { max_depth: body.max_depth }),
      }),
    }),
  };
}

/**
 * A copy of an item. Only its type differs: the contract allows further fields, which an interface does not.
 */
function toItem(item: StoreItem) {
  return { ...item };
}
