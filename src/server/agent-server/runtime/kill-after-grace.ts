import type { RuntimeProcess } from '../../runtimes/process/runtime-process.ts';

/** How long code may take to notice that it was canceled, before its process is killed. */
const CANCEL_GRACE_MS = 10_000;

/**
 * Kills the process of a canceled run after a while, because a node that never yields does not notice a
 * cancellation. A process that is being debugged is kept.
 * @returns a function that prevents this; call it when the run has ended.
 */
export function killAfterGrace(process: RuntimeProcess): () => void {
  return process.clock.after(CANCEL_GRACE_MS, () => {
    if (!process.isDebugged) process.kill();
  });
}
