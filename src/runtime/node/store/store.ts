import type { BaseStore, Item, Operation, OperationResults } from '@langchain/langgraph';
import type { StoreAnswer, StoreItem, StoreOperation } from '../../protocol/protocol.ts';
import type { UserLangGraph } from '../langgraph/user-langgraph.ts';
import { isRecord } from '../langgraph-types.ts';
import type { ServerConnection } from '../link/server-link.ts';
import { toWire } from '../link/wire-format.ts';

type SearchItem = Item & { score?: number };

export type StoreClass = new (connection: ServerConnection) => BaseStore;

/**
 * Makes the class of the long-term store, a subclass of the user's own `BaseStore`. The server stores its
 * items.
 */
export function storeClass(langgraph: UserLangGraph): StoreClass {
  return class HarborStore extends langgraph.BaseStore {
    readonly #connection: ServerConnection;

    constructor(connection: ServerConnection) {
      super();
      this.#connection = connection;
    }

    async batch<Operations extends Operation[]>(
      operations: Operations,
    ): Promise<OperationResults<Operations>> {
      const { answers } = await this.#connection.request('store.batch', {
        operations: operations.map(toProtocol),
      });
      // There is one answer per operation, in order, but the compiler cannot derive the mapped type.
      return answers.map(fromProtocol) as OperationResults<Operations>;
    }
  };
}

/** Converts an operation. Its kind is recognized by its fields, as in LangGraph's own stores. */
function toProtocol(operation: Operation): StoreOperation {
  if ('namespacePrefix' in operation) {
    const { namespacePrefix, filter, query, limit = 10, offset = 0 } = operation;
    return {
      op: 'search',
      namespace_prefix: namespacePrefix,
      limit,
      offset,
      ...(filter === undefined ? {} : { filter }),
      ...(query === undefined ? {} : { query }),
    };
  }
  if ('value' in operation) {
    const { namespace, key, value, index } = operation;
    return {
      op: 'put',
      namespace,
      key,
      value: toItemValue(key, value),
      ...(index === undefined ? {} : { index }),
    };
  }
  if ('key' in operation) return { op: 'get', namespace: operation.namespace, key: operation.key };
  const { matchConditions = [], maxDepth, limit, offset } = operation;
  const match = (type: 'prefix' | 'suffix') =>
    matchConditions.find(({ matchType }) => matchType === type)?.path;
  const prefix = match('prefix');
  const suffix = match('suffix');
  return {
    op: 'list_namespaces',
    limit,
    offset,
    ...(prefix === undefined ? {} : { prefix }),
    ...(suffix === undefined ? {} : { suffix }),
    ...(maxDepth === undefined ? {} : { max_depth: maxDepth }),
  };
}

function fromProtocol(answer: StoreAnswer): Item | SearchItem[] | string[][] | null | undefined {
  switch (answer.op) {
    case 'get':
      return answer.item === null ? null : toItem(answer.item);
    case 'put':
      return undefined;
    case 'search':
      return answer.items.map((item) => ({
        ...toItem(item),
        ...(item.score === undefined ? {} : { score: item.score }),
      }));
    case 'list_namespaces':
      return answer.namespaces;
  }
}

function toItem({ namespace, key, value, created_at, updated_at }: StoreItem): Item {
  return { namespace, key, value, createdAt: new Date(created_at), updatedAt: new Date(updated_at) };
}

/**
 * The value of an item; null deletes it.
 * @throws TypeError for other values than objects
 */
function toItemValue(key: string, value: unknown): Record<string, unknown> | null {
  const wired = toWire(value);
  if (wired === null || wired === undefined) return null;
  if (isRecord(wired) && !Array.isArray(wired)) return wired;
  throw new TypeError(`The value of the item '${key}' must be an object.`);
}
