import type { WriterContext } from '../context/writer-context.ts';

/** Queues changed traces for the rules, if the workspace has any. */
export function queueForRules(
  { db, caches }: WriterContext,
  workspace: number,
  traces: Iterable<{ readonly key: number }>,
): void {
  let ruled = caches.ruled.get(workspace);
  if (ruled === undefined) {
    ruled =
      db.statement('SELECT 1 FROM run_rules WHERE workspace = ? AND enabled = 1').get(workspace) !==
      undefined;
    caches.ruled.set(workspace, ruled);
  }
  if (!ruled) return;
  const queue = db.statement(
    'INSERT INTO rule_queue (trace, workspace) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  for (const trace of traces) queue.run(trace.key, workspace);
}
