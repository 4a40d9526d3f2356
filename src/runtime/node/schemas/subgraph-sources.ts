/**
 * Marks subgraphs in the sources of a project: graphs that are added to other graphs as nodes. Clients can
 * request the schemas of subgraphs, but their types have no names. So a copy of the source describes each
 * subgraph at the place where it is added.
 */
import type { Node, SourceFile, TypeScript } from '../typescript/typescript-api.ts';

const DESCRIBE = '__agent_harbor_describe__';
/** The methods of a graph's builder that add nodes. */
const ADDING = new Set(['addNode', 'addSequence']);

/** A graph that is added as a node: its place in the source, and its name as source text. */
interface Added {
  readonly name: string;
  readonly value: Node;
  /** Whether the graph is written as `{ child }`, which has to be expanded. */
  readonly isShorthand: boolean;
}

/** Whether a source may add nodes. Only checks its text, because most of a project's files add none. */
export function mayAddNodes(text: string): boolean {
  return [...ADDING].some((name) => text.includes(name));
}

/**
 * The same source with `(describe(name, graph), graph)` for each graph that is added as a node.
 * @param describedIn the module that exports the type `Described`
 */
export function describeSubgraphs(ts: TypeScript, source: SourceFile, describedIn: string): string {
  // Text is inserted and never replaced, because a graph that is created inline as a node may contain other
  // added graphs.
  const insertions = addedIn(ts, source).flatMap(({ name, value, isShorthand }) => {
    const graph = value.getText(source);
    const key = isShorthand ? `${graph}: ` : '';
    return [
      { at: value.getStart(source), text: `${key}(${DESCRIBE}(${name}, ${graph}), ` },
      { at: value.end, text: ')' },
    ];
  });
  let { text } = source;
  for (const { at, text: inserted } of insertions.sort((a, b) => b.at - a.at))
    text = text.slice(0, at) + inserted + text.slice(at);
  const type = `import(${JSON.stringify(describedIn)}).Described<T>`;
  return `${text}\ndeclare function ${DESCRIBE}<const K, T>(name: K, graph: T): ${type};\n`;
}

/**
 * The descriptions in a copy from `describeSubgraphs`: calls whose first argument is the name of the node.
 */
export function descriptionsIn(ts: TypeScript, source: SourceFile): { name: Node; call: Node }[] {
  return callsIn(ts, source).flatMap((call) => {
    const [name] = call.arguments ?? [];
    return call.expression?.getText(source) === DESCRIBE && name !== undefined ? [{ name, call }] : [];
  });
}

function addedIn(ts: TypeScript, source: SourceFile): Added[] {
  return callsIn(ts, source)
    .filter((call) => ADDING.has(call.expression?.name?.getText(source) ?? ''))
    .flatMap((call) => addedBy(ts, source, call))
    .filter(({ value }) => isGraphExpression(ts, value));
}

/**
 * The graphs that a call may add: `addNode(name, graph)`, `addNode(name, action, { subgraphs: [graph] })`,
 * or a call that adds several nodes.
 */
function addedBy(ts: TypeScript, source: SourceFile, call: Node): Added[] {
  const [first, second, options] = call.arguments ?? [];
  if (first === undefined) return [];
  if (second !== undefined) {
    const name = first.getText(source);
    const values = [second, ...subgraphsOf(ts, source, options)];
    return values.map((value) => ({ name, value, isShorthand: false }));
  }
  const pairs = (first.elements ?? []).flatMap(({ elements: [name, value] = [] }) =>
    name === undefined || value === undefined
      ? []
      : [{ name: name.getText(source), value, isShorthand: false }],
  );
  return [...pairs, ...propertiesOf(ts, source, first)];
}

/** The graphs in the option `subgraphs` of `addNode`. */
function subgraphsOf(ts: TypeScript, source: SourceFile, options: Node | undefined): readonly Node[] {
  if (options === undefined) return [];
  const found = propertiesOf(ts, source, options).find(({ name }) => name === '"subgraphs"');
  return found?.value.elements ?? [];
}

/** The properties of an object literal, each as a graph that is added under the property's name. */
function propertiesOf(ts: TypeScript, source: SourceFile, object: Node): Added[] {
  return (object.properties ?? []).flatMap(({ kind, name, initializer }): Added[] => {
    if (name === undefined) return [];
    const text = JSON.stringify(name.text ?? name.getText(source));
    if (kind === ts.SyntaxKind.ShorthandPropertyAssignment)
      return [{ name: text, value: name, isShorthand: true }];
    return initializer === undefined ? [] : [{ name: text, value: initializer, isShorthand: false }];
  });
}

/** Whether an expression may be a graph; an inline function is not. */
function isGraphExpression(ts: TypeScript, { kind }: Node): boolean {
  const { Identifier, CallExpression, PropertyAccessExpression } = ts.SyntaxKind;
  return kind === Identifier || kind === CallExpression || kind === PropertyAccessExpression;
}

function callsIn(ts: TypeScript, source: SourceFile): Node[] {
  const calls: Node[] = [];
  const visit = (node: Node) => {
    if (node.kind === ts.SyntaxKind.CallExpression) calls.push(node);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  return calls;
}
