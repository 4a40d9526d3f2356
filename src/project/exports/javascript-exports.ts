import type { SyntaxNode } from '@lezer/common';
import { parser } from '@lezer/javascript';
import type { ExportedName, ExportedNames } from './exported-names.ts';
import { children } from './syntax-children.ts';

const dialects = {
  ts: parser.configure({ dialect: 'ts' }),
  tsx: parser.configure({ dialect: 'ts jsx' }),
  jsx: parser.configure({ dialect: 'jsx' }),
};

/** Descriptions of values that cannot be graphs, by the names of their syntax nodes. */
const LITERALS: Readonly<Record<string, string>> = {
  Number: 'a number',
  String: 'a string',
  TemplateString: 'a string',
  BooleanLiteral: 'a boolean',
  null: 'null',
  ArrayExpression: 'an array',
  ClassDeclaration: 'a class',
  ClassExpression: 'a class',
};

const DECLARATIONS = new Set(['FunctionDeclaration', 'ClassDeclaration', 'EnumDeclaration']);

/** The exports of a JavaScript or TypeScript module, including CommonJS, without types. */
export function javascriptExports(file: string, text: string): ExportedNames {
  return new ModuleReader(file, text).read();
}

/** Collects the exports of a module from its syntax tree. */
class ModuleReader {
  readonly #text: string;
  readonly #tree: SyntaxNode;
  readonly #names = new Map<string, ExportedName>();
  readonly #from: string[] = [];
  #isComplete = true;

  constructor(file: string, text: string) {
    this.#text = text;
    const dialect = file.endsWith('.tsx') ? 'tsx' : /\.[cm]?ts$/.test(file) ? 'ts' : 'jsx';
    this.#tree = dialects[dialect].parse(text).topNode;
  }

  read(): ExportedNames {
    for (const statement of children(this.#tree)) {
      if (statement.type.isError) this.#isComplete = false;
      if (statement.name === 'ExportDeclaration') this.#export(statement);
      else if (statement.name === 'ExpressionStatement') this.#commonJs(statement);
    }
    // CommonJS can export anywhere; only exports at the top level are found here.
    if (this.#mentionsCommonJs() && !this.#hasModuleSyntax()) this.#isComplete = false;
    this.#tree.cursor().iterate(({ type }) => {
      if (type.isError) this.#isComplete = false;
    });
    return { names: this.#names, from: this.#from, isComplete: this.#isComplete };
  }

  #export(statement: SyntaxNode): void {
    const source = statement.getChild('String');
    const keyword = statement.getChild('default');
    if (keyword !== null) {
      this.#add('default', keyword, keyword.nextSibling ?? undefined);
      return;
    }
    const group = statement.getChild('ExportGroup');
    if (group !== null) {
      this.#exportGroup(group, source === null);
      return;
    }
    if (statement.getChild('Star') !== null) {
      const named = statement.getChild('VariableName');
      if (named !== null) this.#add(this.#textOf(named), named);
      else if (source !== null) this.#from.push(this.#textOf(source).slice(1, -1));
      return;
    }
    if (statement.getChild('Equals') !== null) {
      // `export = value`
      this.#isComplete = false;
      return;
    }
    for (const declaration of children(statement)) this.#declare(declaration);
  }

  /** `export { a, b as c }`: the last name in each item is the exported one. */
  #exportGroup(group: SyntaxNode, isLocal: boolean): void {
    let last: SyntaxNode | undefined;
    let first: SyntaxNode | undefined;
    let isType = false;
    const finish = () => {
      if (last !== undefined && !isType) {
        const value = isLocal && first !== undefined ? this.#valueOf(this.#textOf(first)) : undefined;
        this.#add(this.#textOf(last).replace(/^["']|["']$/g, ''), last, value);
      }
      first = last = undefined;
      isType = false;
    };
    for (const child of children(group)) {
      if (child.name === ',' || child.name === '}') finish();
      else if (child.name === 'type') isType = true;
      else if (child.name === 'VariableName' || child.name === 'String' || child.name === 'default') {
        first ??= child;
        last = child;
      }
    }
  }

  #declare(node: SyntaxNode): void {
    if (node.name === 'AmbientDeclaration') {
      for (const inner of children(node)) this.#declare(inner);
    } else if (node.name === 'VariableDeclaration') {
      for (const { name, value } of this.#variables(node)) this.#add(this.#textOf(name), name, value);
    } else if (DECLARATIONS.has(node.name)) {
      const name = node.getChild('VariableDefinition') ?? node.getChild('TypeDefinition');
      if (name !== null) this.#add(this.#textOf(name), name, node);
    }
  }

  /** The names that a declaration defines, including those in patterns, each with its value if it has one. */
  #variables(declaration: SyntaxNode): { name: SyntaxNode; value?: SyntaxNode | undefined }[] {
    const found: { name: SyntaxNode; value?: SyntaxNode | undefined }[] = [];
    for (const child of children(declaration)) {
      if (child.name === 'VariableDefinition') {
        found.push({ name: child });
      } else if (child.name === 'ObjectPattern' || child.name === 'ArrayPattern') {
        child.cursor().iterate(({ name, node }) => {
          if (name === 'VariableDefinition') found.push({ name: node });
        });
      } else if (child.prevSibling?.name === 'Equals') {
        const declared = found.at(-1);
        if (declared !== undefined && declared.name.parent?.name === 'VariableDeclaration')
          declared.value = child;
      }
    }
    return found;
  }

  /**
   * The value of a top-level constant, or the declaration of a function, class or enum; undefined for other
   * names.
   */
  #valueOf(name: string): SyntaxNode | undefined {
    for (const statement of children(this.#tree)) {
      if (DECLARATIONS.has(statement.name)) {
        const declared = statement.getChild('VariableDefinition');
        if (declared !== null && this.#textOf(declared) === name) return statement;
      }
      if (statement.name !== 'VariableDeclaration') continue;
      // Only constants count, because other variables may be reassigned.
      if (statement.firstChild?.name !== 'const') continue;
      const variable = this.#variables(statement).find((known) => this.#textOf(known.name) === name);
      if (variable !== undefined) return variable.value;
    }
    return undefined;
  }

  /** `exports.a = …`, `module.exports.a = …`, `module.exports = { a, b: … }`. */
  #commonJs(statement: SyntaxNode): void {
    const assignment = statement.getChild('AssignmentExpression');
    const target = assignment?.firstChild;
    if (assignment == null || target?.name !== 'MemberExpression') return;
    const written = this.#textOf(target).replace(/\s/g, '');
    const value = assignment.lastChild ?? undefined;
    const property = target.getChild('PropertyName');
    if (/^(?:module\.)?exports\.[\w$]+$/.test(written) && property !== null) {
      this.#add(this.#textOf(property), property, value);
    } else if (written === 'module.exports') {
      this.#add('default', target, value);
      if (value?.name !== 'ObjectExpression') this.#isComplete = false;
      for (const node of value === undefined ? [] : children(value)) {
        const key = node.name === 'Property' ? node.getChild('PropertyDefinition') : null;
        if (key !== null) this.#add(this.#textOf(key), key);
      }
    }
  }

  #mentionsCommonJs(): boolean {
    return /\bexports\b/.test(this.#text);
  }

  #hasModuleSyntax(): boolean {
    return children(this.#tree).some(
      ({ name }) => name === 'ExportDeclaration' || name === 'ImportDeclaration',
    );
  }

  #add(name: string, { from, to }: SyntaxNode, value?: SyntaxNode): void {
    const literal = value === undefined ? undefined : LITERALS[value.name];
    this.#names.set(name, {
      start: from,
      end: to,
      ...(literal === undefined ? {} : { notAGraph: literal }),
      ...(value === undefined ? {} : { source: this.#textOf(value) }),
    });
  }

  #textOf({ from, to }: SyntaxNode): string {
    return this.#text.slice(from, to);
  }
}
