/**
 * The part of TypeScript's compiler API that is used here, as versions 5 and 6 have it; the project brings
 * its own.
 */

export interface TypeScript {
  readonly version: string;
  readonly sys: { fileExists(file: string): boolean; readFile(file: string): string | undefined };
  findConfigFile(folder: string, exists: (file: string) => boolean): string | undefined;
  readConfigFile(file: string, read: (file: string) => string | undefined): { config?: unknown };
  parseJsonConfigFileContent(config: unknown, host: unknown, folder: string): { options: object };
  createCompilerHost(options: object): CompilerHost;
  createProgram(files: string[], options: object, host: CompilerHost): Program;
  createSourceFile(file: string, text: string, languageVersion: unknown): SourceFile;
  /** Stops at the first child for which a value is returned. */
  forEachChild(node: Node, visit: (child: Node) => void): void;
  displayPartsToString(parts: unknown): string;
  readonly ModuleKind: { readonly ESNext: number };
  readonly ModuleResolutionKind: { readonly Bundler: number };
  readonly ScriptTarget: { readonly ESNext: number };
  readonly TypeFlags: Readonly<Record<string, number>>;
  readonly SymbolFlags: { readonly Optional: number };
  readonly SyntaxKind: Readonly<
    Record<
      'CallExpression' | 'Identifier' | 'PropertyAccessExpression' | 'ShorthandPropertyAssignment',
      number
    >
  >;
}

export interface CompilerHost {
  fileExists(file: string): boolean;
  readFile(file: string): string | undefined;
  getSourceFile(file: string, ...rest: unknown[]): SourceFile | undefined;
}

export interface SourceFile extends Node {
  readonly text: string;
  readonly statements: readonly Node[];
}

/** A node of the syntax tree, with the fields of its kind. */
export interface Node {
  readonly kind: number;
  readonly end: number;
  readonly text?: string;
  readonly name?: Node;
  readonly expression?: Node;
  readonly arguments?: readonly Node[];
  readonly elements?: readonly Node[];
  readonly properties?: readonly Node[];
  readonly initializer?: Node;
  getStart(source: SourceFile): number;
  getText(source: SourceFile): string;
}

export interface Program {
  getSourceFile(file: string): SourceFile | undefined;
  getTypeChecker(): TypeChecker;
}

export interface TypeSymbol {
  readonly name: string;
  readonly flags: number;
  getDocumentationComment(checker: TypeChecker): unknown;
}

export interface Type {
  readonly flags: number;
  readonly symbol?: TypeSymbol;
  readonly aliasSymbol?: TypeSymbol;
  readonly value?: unknown;
  readonly types?: readonly Type[];
  getProperties(): readonly TypeSymbol[];
  getCallSignatures(): readonly unknown[];
  getStringIndexType(): Type | undefined;
  isUnion(): boolean;
  isIntersection(): boolean;
}

export interface TypeChecker {
  getTypeAtLocation(node: Node): Type;
  getTypeOfSymbolAtLocation(symbol: TypeSymbol, node: Node): Type;
  isArrayType(type: Type): boolean;
  isTupleType(type: Type): boolean;
  getTypeArguments(type: Type): readonly Type[];
}
