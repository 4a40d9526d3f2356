import type { WriterContext } from '../context/writer-context.ts';

/** Queues changed traces for the rules, if the workspace has any. */
export function queueForRules(
  { db, caches }: WriterContext,
  workspace: number,
  traces: Iterable<{ readonly key: number }>,
): void {
  let hasRules = caches.hasRules.get(workspace);
  if (hasRules === undefined) {
    hasRules =
      db.statement('SELECT 1 FROM run_rules WHERE workspace = ? AND enabled = 1').get(workspace) !==
      undefined;
    caches.hasRules.set(workspace, hasRules);
  }
  if (!hasRules) return;
  const queue = db.statement(
    'INSERT INTO rule_queue (trace, workspace) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  for (const trace of traces) queue.run(trace.key, workspace);
}
