import type { ExchangePlace } from '../../protocol/protocol.ts';
import { isRecord } from '../langgraph-types.ts';

/** Where langsmith stores the span of the running code. */
const STORAGE = Symbol.for('ls:tracing_async_local_storage');
/** Where LangChain stores the configuration of the running task, in the span's `extra`. */
const CONFIG = Symbol.for('lc:child_config');

/** The node and the task whose code is running; both empty for code outside any node. */
export function currentPlace(): ExchangePlace {
  const storage: unknown = Reflect.get(globalThis, STORAGE);
  const store = isRecord(storage) && typeof storage.getStore === 'function' ? storage.getStore() : undefined;
  const config = isRecord(store) && isRecord(store.extra) ? Reflect.get(store.extra, CONFIG) : undefined;
  return placeOf(isRecord(config) && isRecord(config.metadata) ? config.metadata : {});
}

/** Reads the place from the metadata of a LangGraph task. */
export function placeOf(metadata: Readonly<Record<string, unknown>>): ExchangePlace {
  const namespace = metadata.langgraph_checkpoint_ns ?? metadata.checkpoint_ns;
  const path = metadata.langgraph_path;
  return {
    node: typeof namespace === 'string' ? namesOf(namespace) : String(metadata.langgraph_node ?? ''),
    task: Array.isArray(path) ? path.map(String).join(',') : '',
  };
}

/** `parent:task|child:task` without the tasks, whose ids differ in every run. */
function namesOf(namespace: string): string {
  return namespace
    .split('|')
    .map((part) => part.split(':')[0])
    .join('|');
}
