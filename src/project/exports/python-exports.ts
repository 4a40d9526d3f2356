import type { SyntaxNode } from '@lezer/common';
import { parser } from '@lezer/python';
import type { ExportedName, ExportedNames } from './exported-names.ts';
import { children } from './syntax-children.ts';

/** Descriptions of values that cannot be graphs, by the names of their syntax nodes. */
const LITERALS: Readonly<Record<string, string>> = {
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
const BLOCKS = new Set(['IfStatement', 'TryStatement', 'WithStatement', 'ForStatement', 'WhileStatement']);

/** A name that a statement defines, with its value or function, unless other names share it. */
interface Definition {
  readonly target: SyntaxNode;
  readonly value?: SyntaxNode;
}

/** The names at the top level of a Python module: assignments, functions, classes and imports. */
export function pythonExports(text: string): ExportedNames {
  const names = new Map<string, ExportedName>();
  const tree = parser.parse(text).topNode;
  for (const { target, value } of definitionsOf(tree)) {
    const literal = value === undefined ? undefined : LITERALS[value.name];
    names.set(text.slice(target.from, target.to), {
      start: target.from,
      end: target.to,
      ...(literal === undefined ? {} : { notAGraph: literal }),
      ...(value === undefined ? {} : { source: text.slice(value.from, value.to) }),
    });
  }
  return { names, from: [], isComplete: !hasUnknownNames(tree) && !canAddNames(names, text) };
}

/** The definitions in the statements of a module or a block. */
function definitionsOf(block: SyntaxNode): Definition[] {
  return children(block).flatMap((statement) => definitionsIn(statement));
}

/** @param whole the statement with its decorators. */
function definitionsIn(statement: SyntaxNode, whole = statement): Definition[] {
  switch (statement.name) {
    case 'AssignStatement':
      return assignments(statement);
    case 'FunctionDefinition':
    case 'ClassDefinition':
      return statement
        .getChildren('VariableName')
        .slice(0, 1)
        .map((target) => ({ target, value: whole }));
    case 'ImportStatement':
      return importedNames(statement).map(toDefinition);
    case 'DecoratedStatement':
      return children(statement).flatMap((inner) => definitionsIn(inner, statement));
    default:
      return BLOCKS.has(statement.name) ? definitionsInBlock(statement) : [];
  }
}

/** The definitions in a block statement: names after `as`, and those in its bodies. */
function definitionsInBlock(statement: SyntaxNode): Definition[] {
  const named = statement.getChildren('VariableName').filter(({ prevSibling }) => prevSibling?.name === 'as');
  return [...named.map(toDefinition), ...statement.getChildren('Body').flatMap(definitionsOf)];
}

function toDefinition(target: SyntaxNode): Definition {
  return { target };
}

/** Whether a module may have names that its text does not show: it imports `*`, or has syntax errors. */
function hasUnknownNames(tree: SyntaxNode): boolean {
  let isUnknown = false;
  tree.cursor().iterate(({ type, node }) => {
    if (type.isError || (type.name === 'ImportStatement' && node.getChild('*') !== null)) isUnknown = true;
  });
  return isUnknown;
}

/** A module can define names dynamically: PEP 562's `__getattr__`, or `globals()`. */
function canAddNames(names: ReadonlyMap<string, ExportedName>, text: string): boolean {
  return names.has('__getattr__') || /\bglobals\(\)/.test(text);
}

/** `a = b = value`, `a: T = value`, `a, b = value`. */
function assignments(statement: SyntaxNode): Definition[] {
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
  const names: SyntaxNode[] = [];
  let isFirst = true;
  for (const part of parts.slice(start)) {
    if (part.name === ',') isFirst = true;
    else if (part.name === 'VariableName' && part.prevSibling?.name === 'as') names.splice(-1, 1, part);
    else if (part.name === 'VariableName' && (isFirst || from !== -1)) {
      names.push(part);
      isFirst = false;
    }
  }
  return names;
}
