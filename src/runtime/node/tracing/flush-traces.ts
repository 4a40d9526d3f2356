import { setTimeout as sleep } from 'node:timers/promises';
import type { UserLangGraphs } from '../langgraph/user-langgraph.ts';

const MAX_PAUSE_MS = 3_000;

/**
 * Waits until the user's own `langsmith` SDK has sent its pending spans, but no longer than `MAX_PAUSE_MS`.
 */
export async function flushTraces(langgraphs: UserLangGraphs): Promise<void> {
  // A LangGraph that did not load has sent no spans.
  const copies = await langgraphs.loadAll().catch(() => []);
  const flushing = copies.map(async (copy) => {
    const { awaitAllCallbacks } = await copy.importModule('@langchain/core/callbacks/promises');
    if (typeof awaitAllCallbacks === 'function') await awaitAllCallbacks();
  });
  await Promise.race([Promise.allSettled(flushing), sleep(MAX_PAUSE_MS, undefined, { ref: false })]);
}
