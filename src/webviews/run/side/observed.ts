import type { Diagram } from '../../../extension/panels/run/messages.ts';
import { type ExecutedTask, nameOf, namespaceOf } from '../executed-tasks.ts';

/** How often the graph went from one drawn node to another. */
export interface ObservedEdge {
  readonly source: string;
  readonly target: string;
  readonly count: number;
  /** Share of all exits from the source, 0 to 1. */
  readonly share: number;
  readonly isDeclared: boolean;
}

/** The executions of a drawn node. */
export interface ObservedNode {
  readonly runs: number;
  readonly errors: number;
  /** The total time in milliseconds; `undefined` if none of its executions was measured. */
  readonly ms: number | undefined;
  /** The tokens of the node and of the nodes in its subgraph. */
  readonly tokens: number;
  /** The ID of the task that ran last. */
  readonly lastId: string;
}

export interface Observed {
  readonly edges: readonly ObservedEdge[];
  readonly nodes: ReadonlyMap<string, ObservedNode>;
}

/**
 * Derives the paths that a graph took from the nodes in its supersteps. LangGraph does not report which node
 * of a superstep led to which node of the next. If several nodes are possible, only those with a declared
 * edge are counted; if none has one, all are.
 */
export function observe(diagram: Diagram, tasks: readonly ExecutedTask[]): Observed {
  const edges = new EdgeCounts(diagram, tasks).read();
  const nodes = diagram.nodes.flatMap(({ id, kind }) => {
    const known = kind === 'node' ? nodeOf(id, tasks) : undefined;
    return known === undefined ? [] : [[id, known] as const];
  });
  return { edges, nodes: new Map(nodes) };
}

/** Counts the edges of a diagram that tasks took. */
class EdgeCounts {
  readonly #drawn: ReadonlySet<string>;
  readonly #declared: ReadonlySet<string>;
  readonly #start: string | undefined;
  readonly #end: string | undefined;
  readonly #byNamespace: ReadonlyMap<string, readonly ExecutedTask[]>;
  readonly #counts = new Map<string, { source: string; target: string; count: number }>();

  constructor({ nodes, edges }: Diagram, tasks: readonly ExecutedTask[]) {
    this.#drawn = new Set(nodes.map(({ id }) => id));
    this.#declared = new Set(edges.map(({ source, target }) => keyOf(source, target)));
    this.#start = nodes.find(({ kind }) => kind === 'start')?.id;
    this.#end = nodes.find(({ kind }) => kind === 'end')?.id;
    this.#byNamespace = Map.groupBy(tasks, ({ ns }) => ns);
    for (const inNamespace of this.#byNamespace.values()) this.#countNamespace(inNamespace);
  }

  read(): ObservedEdge[] {
    const leaving = new Map<string, number>();
    for (const { source, count } of this.#counts.values())
      leaving.set(source, (leaving.get(source) ?? 0) + count);
    return [...this.#counts.values()].map((edge) => ({
      ...edge,
      share: edge.count / (leaving.get(edge.source) ?? edge.count),
      isDeclared: this.#declared.has(keyOf(edge.source, edge.target)),
    }));
  }

  #countNamespace(inNamespace: readonly ExecutedTask[]): void {
    const steps = [...Map.groupBy(inNamespace, ({ step }) => step).values()];
    for (const [index, step] of steps.entries()) {
      const before = steps[index - 1] ?? [];
      const continued = this.#countEntries(step, before, inNamespace);
      this.#countEnds(step, before, continued);
    }
  }

  /**
   * Counts the edges that lead to the tasks of a superstep.
   * @returns the earlier tasks that led to one of them
   */
  #countEntries(
    step: readonly ExecutedTask[],
    before: readonly ExecutedTask[],
    inNamespace: readonly ExecutedTask[],
  ): ReadonlySet<ExecutedTask> {
    const [{ origin, ns } = { origin: 'elsewhere', ns: '' }] = step;
    const continued = new Set<ExecutedTask>();
    for (const task of step) {
      const targets = this.#drawnNodesOf(task, 'first');
      if (origin === 'start' && ns === '' && this.#start !== undefined) this.#count([this.#start], targets);
      if (origin !== 'step') continue;
      const joined = inNamespace.filter(({ node }) => task.joins.includes(nameOf(node)));
      const likely = before.filter((source) => this.#isDeclared(this.#drawnNodesOf(source, 'last'), targets));
      const led = [joined, likely].find((sources) => sources.length > 0) ?? before;
      for (const source of led) continued.add(source);
      this.#count(unique(led.flatMap((source) => this.#drawnNodesOf(source, 'last'))), targets);
    }
    return continued;
  }

  /**
   * Counts the edges to the end: from the last tasks of the graph, and from tasks of the previous superstep
   * that have no successor, if the graph declares an edge from their node to the end.
   */
  #countEnds(
    step: readonly ExecutedTask[],
    before: readonly ExecutedTask[],
    continued: ReadonlySet<ExecutedTask>,
  ): void {
    const [{ origin, ns } = { origin: 'elsewhere', ns: '' }] = step;
    const end = this.#end;
    if (ns !== '' || end === undefined) return;
    const canEnd = (task: ExecutedTask) => this.#isDeclared(this.#drawnNodesOf(task, 'last'), [end]);
    const ended = origin === 'step' ? before.filter((task) => !continued.has(task) && canEnd(task)) : [];
    for (const task of ended) this.#count(this.#drawnNodesOf(task, 'last'), [end]);
    if (!step.some(({ isLast }) => isLast)) return;
    const ending = step.filter(canEnd);
    for (const task of ending.length > 0 ? ending : step)
      this.#count(this.#drawnNodesOf(task, 'last'), [end]);
  }

  /** The drawn nodes with which a task begins or ends: its own node, or nodes of the subgraph that it runs. */
  #drawnNodesOf(task: ExecutedTask, side: 'first' | 'last'): string[] {
    if (this.#drawn.has(task.node)) return [task.node];
    const inner = this.#byNamespace.get(namespaceOf(task)) ?? [];
    const step = side === 'first' ? inner[0]?.step : inner.at(-1)?.step;
    return unique(inner.filter((one) => one.step === step).flatMap((one) => this.#drawnNodesOf(one, side)));
  }

  #isDeclared(sources: readonly string[], targets: readonly string[]): boolean {
    return sources.some((source) => targets.some((target) => this.#declared.has(keyOf(source, target))));
  }

  #count(sources: readonly string[], targets: readonly string[]): void {
    for (const source of sources)
      for (const target of targets) {
        const key = keyOf(source, target);
        this.#counts.set(key, { source, target, count: (this.#counts.get(key)?.count ?? 0) + 1 });
      }
  }
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

/** The key of an edge between two nodes. */
export function keyOf(source: string, target: string): string {
  return JSON.stringify([source, target]);
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
