import type { Drawing } from '../../../extension/panels/run/messages.ts';
import { type ExecutedTask, namespaceOf } from '../executed-tasks.ts';

/** How often the graph went from one drawn node to another. */
export interface ObservedEdge {
  readonly source: string;
  readonly target: string;
  readonly count: number;
  /** Of all the times that the graph left the source, between 0 and 1. */
  readonly share: number;
  readonly isDeclared: boolean;
}

/** What is known of the times that a drawn node ran, its subgraph's nodes included. */
export interface ObservedNode {
  readonly runs: number;
  readonly errors: number;
  /** In all; `undefined` when no run of it was measured. */
  readonly ms: number | undefined;
  readonly tokens: number;
  /** The task that ran last. */
  readonly lastId: string;
}

export interface Observed {
  readonly edges: readonly ObservedEdge[];
  readonly nodes: ReadonlyMap<string, ObservedNode>;
}

/**
 * The ways that a graph took, from the nodes of its supersteps. LangGraph does not say which node of a superstep led to
 * one of the next: where there were several, those with a declared edge to it count, else all of them.
 */
export function observe(drawing: Drawing, tasks: readonly ExecutedTask[]): Observed {
  const drawn = new Set(drawing.nodes.map(({ id }) => id));
  const declared = new Set(drawing.edges.map(({ source, target }) => keyOf(source, target)));
  const start = drawing.nodes.find(({ kind }) => kind === 'start')?.id;
  const end = drawing.nodes.find(({ kind }) => kind === 'end')?.id;
  const byNamespace = Map.groupBy(tasks, ({ ns }) => ns);
  const counts = new Map<string, { source: string; target: string; count: number }>();

  /** The drawn nodes in which a task begins or ends: its own, or those of its subgraph. */
  const edgeOf = (task: ExecutedTask, side: 'first' | 'last'): string[] => {
    if (drawn.has(task.node)) return [task.node];
    const inner = byNamespace.get(namespaceOf(task)) ?? [];
    const step = side === 'first' ? inner[0]?.step : inner.at(-1)?.step;
    return unique(inner.filter((one) => one.step === step).flatMap((one) => edgeOf(one, side)));
  };
  const isDeclared = (sources: readonly string[], targets: readonly string[]) =>
    sources.some((source) => targets.some((target) => declared.has(keyOf(source, target))));
  const count = (sources: readonly string[], targets: readonly string[]): void => {
    for (const source of sources)
      for (const target of targets) {
        const key = keyOf(source, target);
        counts.set(key, { source, target, count: (counts.get(key)?.count ?? 0) + 1 });
      }
  };

  for (const inNamespace of byNamespace.values()) {
    const steps = [...Map.groupBy(inNamespace, ({ step }) => step).values()];
    for (const [index, step] of steps.entries()) {
      const sources = steps[index - 1] ?? [];
      const [{ origin, ns } = { origin: 'elsewhere', ns: '' }] = step;
      const left = new Set<ExecutedTask>();
      for (const task of step) {
        const targets = edgeOf(task, 'first');
        if (origin === 'start' && ns === '' && start !== undefined) count([start], targets);
        if (origin !== 'step') continue;
        const joined = inNamespace.filter(({ node }) => task.joins.includes(nameOf(node)));
        const likely = sources.filter((source) => isDeclared(edgeOf(source, 'last'), targets));
        const led = joined.length > 0 ? joined : likely.length > 0 ? likely : sources;
        for (const source of led) left.add(source);
        count(unique(led.flatMap((source) => edgeOf(source, 'last'))), targets);
      }
      if (ns !== '' || end === undefined) continue;
      // What led to nothing has come to an end, if it may.
      for (const task of sources) {
        const from = edgeOf(task, 'last');
        if (origin === 'step' && !left.has(task) && isDeclared(from, [end])) count(from, [end]);
      }
      if (!step.some(({ isLast }) => isLast)) continue;
      const ending = step.filter((task) => isDeclared(edgeOf(task, 'last'), [end]));
      for (const task of ending.length > 0 ? ending : step) count(edgeOf(task, 'last'), [end]);
    }
  }

  const leaving = new Map<string, number>();
  for (const { source, count: times } of counts.values())
    leaving.set(source, (leaving.get(source) ?? 0) + times);
  return {
    edges: [...counts.values()].map((edge) => ({
      ...edge,
      share: edge.count / (leaving.get(edge.source) ?? edge.count),
      isDeclared: declared.has(keyOf(edge.source, edge.target)),
    })),
    nodes: new Map(
      drawing.nodes.flatMap(({ id, kind }) => {
        const known = kind === 'node' ? nodeOf(id, tasks) : undefined;
        return known === undefined ? [] : [[id, known]];
      }),
    ),
  };
}

function nodeOf(id: string, tasks: readonly ExecutedTask[]): ObservedNode | undefined {
  const own = tasks.filter(({ node }) => node === id);
  const last = own.at(-1);
  if (last === undefined) return undefined;
  const inner = tasks.filter(({ node }) => node.startsWith(`${id}:`));
  const measured = own.flatMap(({ ms }) => ms ?? []);
  return {
    runs: own.length,
    errors: own.filter(({ phase }) => phase === 'failed').length,
    ms: measured.length === 0 ? undefined : measured.reduce((sum, ms) => sum + ms, 0),
    tokens: [...own, ...inner].reduce((sum, { tokens }) => sum + tokens, 0),
    lastId: last.id,
  };
}

/** What a line between two nodes is known by. */
export function keyOf(source: string, target: string): string {
  return JSON.stringify([source, target]);
}

function nameOf(node: string): string {
  return node.split(':').at(-1) ?? node;
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
