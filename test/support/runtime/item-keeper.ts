import type { StoreAnswer, StoreItem, StoreOperation } from '../../../src/runtime/protocol/protocol.ts';

/** Items of the long-term store in memory: exact filters, no semantic search. */
export class ItemKeeper {
  readonly #items = new Map<string, StoreItem>();

  batch(operations: readonly StoreOperation[]): StoreAnswer[] {
    return operations.map((operation) => this.#answer(operation));
  }

  #answer(operation: StoreOperation): StoreAnswer {
    switch (operation.op) {
      case 'get':
        return { op: 'get', item: this.#items.get(itemKey(operation)) ?? null };
      case 'put':
        this.#put(operation.namespace, operation.key, operation.value);
        return { op: 'put' };
      case 'search': {
        const { namespace_prefix, filter = {}, offset, limit } = operation;
        const found = [...this.#items.values()]
          .filter(({ namespace }) => namespace_prefix.every((label, at) => namespace[at] === label))
          .filter(({ value }) => Object.entries(filter).every(([key, wanted]) => value[key] === wanted));
        return { op: 'search', items: found.slice(offset, offset + limit) };
      }
      case 'list_namespaces': {
        const { prefix = [], max_depth, offset, limit } = operation;
        const found = [...this.#items.values()]
          .map(({ namespace }) => namespace)
          .filter((namespace) => prefix.every((label, at) => namespace[at] === label))
          .map((namespace) => JSON.stringify(namespace.slice(0, max_depth)));
        const namespaces = [...new Set(found)].map((text): string[] => JSON.parse(text));
        return { op: 'list_namespaces', namespaces: namespaces.slice(offset, offset + limit) };
      }
    }
  }

  #put(namespace: string[], key: string, value: StoreItem['value'] | null): void {
    const at = itemKey({ namespace, key });
    if (value === null) {
      this.#items.delete(at);
      return;
    }
    const now = new Date().toISOString();
    const created_at = this.#items.get(at)?.created_at ?? now;
    this.#items.set(at, { namespace, key, value, created_at, updated_at: now });
  }
}

function itemKey({ namespace, key }: { namespace: string[]; key: string }): string {
  return JSON.stringify([namespace, key]);
}
