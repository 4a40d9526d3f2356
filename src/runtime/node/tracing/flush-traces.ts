import { setTimeout as sleep } from 'node:timers/promises';
import type { UserLangGraph } from '../langgraph/user-langgraph.ts';

const MAX_PAUSE_MS = 3_000;

interface Copies {
  listCopies(): readonly Promise<Pick<UserLangGraph, 'importModule'>>[];
}

/**
 * Waits until the user's own `langsmith` SDK has sent its pending spans, but no longer than `MAX_PAUSE_MS`.
 * LangChain's `awaitAllCallbacks` waits for the SDK too.
 */
export async function flushTraces(langgraphs: Copies): Promise<void> {
  const flushing = langgraphs.listCopies().map(async (copy) => {
    const { importModule } = await copy;
    const { awaitAllCallbacks } = await importModule('@langchain/core/callbacks/promises');
    if (typeof awaitAllCallbacks === 'function') await awaitAllCallbacks();
  });
  // A copy that did not load has sent no spans.
  await Promise.race([Promise.allSettled(flushing), sleep(MAX_PAUSE_MS, undefined, { ref: false })]);
}
