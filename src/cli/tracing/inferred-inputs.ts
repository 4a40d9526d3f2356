import { inferArguments, lacksArguments } from '../../client/inferred-arguments.ts';
import type { SpanContent } from '../../client/span-contents.ts';
import type { TraceNode } from '../../contract/tracing/runs.ts';
import type { ShownContent } from '../render/trace-tree.ts';

/** Adds inputs to spans of tools that have none, inferred from the tool calls of models. */
export function withInferred(
  root: TraceNode,
  contents: ReadonlyMap<string, SpanContent>,
): ReadonlyMap<string, ShownContent> {
  const shown = new Map<string, ShownContent>(contents);
  const spans = listSpans(root);
  for (const { id, run_type } of spans) {
    const tool = { id, ...contents.get(id) };
    if (run_type !== 'tool' || !lacksArguments(tool)) continue;
    const inputs = inferArguments(spans, tool, (call) => contents.get(call)?.outputs);
    if (inputs !== undefined) shown.set(id, { ...tool, inputs, areInputsInferred: true });
  }
  return shown;
}

function listSpans(node: TraceNode): TraceNode[] {
  return [node, ...node.child_runs.flatMap(listSpans)];
}
