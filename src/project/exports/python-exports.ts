import type { SyntaxNode } from '@lezer/common';
import { parser } from '@lezer/python';
import type { ExportedName, ExportedNames } from './exported-names.ts';

const literals: Readonly<Record<string, string>> = {
  Number: 'a number',
  String: 'a string',
  FormatString: 'a string',
  ContinuedString: 'a string',
  Boolean: 'a boolean',
  None: 'None',
  ArrayExpression: 'a list',
  TupleExpression: 'a tuple',
  DictionaryExpression: 'a dictionary',
  SetExpression: 'a set',
};

/** Statements whose bodies also define module names. */
const blocks = new Set(['IfStatement', 'TryStatement', 'WithStatement', 'ForStatement', 'WhileStatement']);

/** The names a Python module has at its top: assignments, functions, classes and imports. */
export function pythonExports(text: string): ExportedNames {
  const names = new Map<string, ExportedName>();
  let isComplete = true;
  const tree = parser.parse(text).topNode;

  const add = ({ from, to }: SyntaxNode, value?: SyntaxNode) => {
    const literal = value === undefined ? undefined : literals[value.name];
    names.set(text.slice(from, to), {
      start: from,
      end: to,
      ...(literal === undefined ? {} : { notAGraph: literal }),
    });
  };
  const visit = (statement: SyntaxNode): void => {
    if (statement.name === 'AssignStatement') {
      for (const { target, value } of assignments(statement)) add(target, value);
    } else if (statement.name === 'FunctionDefinition' || statement.name === 'ClassDefinition') {
      const name = statement.getChild('VariableName');
      if (name !== null) add(name);
    } else if (statement.name === 'ImportStatement') {
      if (statement.getChild('*') !== null) isComplete = false;
      for (const name of importedNames(statement)) add(name);
    } else if (statement.name === 'DecoratedStatement') {
      for (const inner of children(statement)) visit(inner);
    } else if (blocks.has(statement.name)) {
      for (const name of statement.getChildren('VariableName')) {
        if (name.prevSibling?.name === 'as') add(name);
      }
      for (const body of statement.getChildren('Body')) for (const inner of children(body)) visit(inner);
    }
  };
  for (const statement of children(tree)) visit(statement);
  tree.cursor().iterate(({ type }) => {
    if (type.isError) isComplete = false;
  });
  // A module can define names dynamically: PEP 562's __getattr__, or globals().
  if (names.has('__getattr__') || /\bglobals\(\)/.test(text)) isComplete = false;
  return { names, from: [], isComplete };
}

/** `a = b = value`, `a: T = value`, `a, b = value`. */
function assignments(statement: SyntaxNode): { target: SyntaxNode; value?: SyntaxNode }[] {
  const parts = children(statement);
  const lastOperator = parts.findLastIndex(({ name }) => name === 'AssignOp');
  // `a: int` alone defines no name.
  if (lastOperator === -1) return [];
  const targets = parts.slice(0, lastOperator).flatMap(namesIn);
  const value = targets.length === 1 && parts.length === lastOperator + 2 ? parts.at(-1) : undefined;
  return targets.map((target) => (value === undefined ? { target } : { target, value }));
}

function namesIn(node: SyntaxNode): SyntaxNode[] {
  if (node.name === 'VariableName') return [node];
  return node.name === 'TupleExpression' || node.name === 'ArrayExpression'
    ? children(node).flatMap(namesIn)
    : [];
}

/** The names that an import defines: `b` of `import a as b`, `a` of `import a.b`, `c` of `from a.b import c`. */
function importedNames(statement: SyntaxNode): SyntaxNode[] {
  const parts = children(statement);
  const from = parts.findIndex(({ name }) => name === 'from');
  const start = parts.findIndex(({ name }) => name === 'import') + 1;
  const made: SyntaxNode[] = [];
  let isFirst = true;
  for (const part of parts.slice(start)) {
    if (part.name === ',') isFirst = true;
    else if (part.name === 'VariableName' && part.prevSibling?.name === 'as') made.splice(-1, 1, part);
    else if (part.name === 'VariableName' && (isFirst || from !== -1)) {
      made.push(part);
      isFirst = false;
    }
  }
  return made;
}

function children(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) found.push(child);
  return found;
}
