import { inferArguments, lacksArguments } from '../../client/inferred-arguments.ts';
import type { SpanContent } from '../../client/span-contents.ts';
import type { TraceNode } from '../../contract/tracing/runs.ts';
import type { ShownContent } from '../render/trace-tree.ts';

/** With the arguments of tools that say none themselves. */
export function withInferred(
  root: TraceNode,
  contents: ReadonlyMap<string, SpanContent>,
): ReadonlyMap<string, ShownContent> {
  const shown = new Map<string, ShownContent>(contents);
  const infer = (node: TraceNode): void => {
    const tool = { id: node.id, ...contents.get(node.id) };
    if (node.run_type === 'tool' && lacksArguments(tool)) {
      const inputs = inferArguments(root, tool, (id) => contents.get(id)?.outputs);
      if (inputs !== undefined) shown.set(node.id, { ...tool, inputs, areInputsInferred: true });
    }
    for (const child of node.child_runs) infer(child);
  };
  infer(root);
  return shown;
}
