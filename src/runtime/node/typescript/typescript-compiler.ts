import { pathToFileURL } from 'node:url';
import ts from 'typescript-5';

/** Options of tsconfig.json that affect the behavior of code, spelled as in that file. */
export interface CompilerOptions {
  readonly experimentalDecorators?: boolean;
  readonly emitDecoratorMetadata?: boolean;
  readonly useDefineForClassFields?: boolean;
  readonly verbatimModuleSyntax?: boolean;
  readonly target?: string;
  readonly jsx?: string;
  readonly jsxFactory?: string;
  readonly jsxFragmentFactory?: string;
  readonly jsxImportSource?: string;
}

/** The source of a module, and the form of JavaScript that it becomes. */
export interface ModuleSource {
  readonly file: string;
  readonly source: string;
  readonly format: 'module' | 'commonjs';
}

export interface Compiled {
  readonly code: string;
  /** A source map, as JSON. */
  readonly map: string;
}

/**
 * Compiles one file on its own with TypeScript's compiler.
 * @param fields.areDefined whether fields of classes are defined as in JavaScript, instead of assigned in the
 * constructor
 * @throws Error with the message and the place of the syntax error, in sucrase's form.
 */
export function compile(
  { file, source, format }: ModuleSource,
  options: CompilerOptions,
  fields: { readonly areDefined: boolean },
): Compiled {
  const { jsx, jsxFactory, jsxFragmentFactory, jsxImportSource } = options;
  const { outputText, sourceMapText, diagnostics } = ts.transpileModule(source, {
    fileName: file,
    reportDiagnostics: true,
    compilerOptions: {
      // For CommonJS, Node16 keeps `import()` unchanged.
      module: format === 'module' ? ts.ModuleKind.ESNext : ts.ModuleKind.Node16,
      target: ts.ScriptTarget.ES2022,
      sourceMap: true,
      esModuleInterop: true,
      useDefineForClassFields: fields.areDefined,
      experimentalDecorators: options.experimentalDecorators === true,
      emitDecoratorMetadata: options.emitDecoratorMetadata === true,
      verbatimModuleSyntax: format === 'module' && options.verbatimModuleSyntax === true,
      jsx: jsx === 'react' ? ts.JsxEmit.React : ts.JsxEmit.ReactJSX,
      ...(jsxFactory === undefined ? {} : { jsxFactory }),
      ...(jsxFragmentFactory === undefined ? {} : { jsxFragmentFactory }),
      ...(jsxImportSource === undefined ? {} : { jsxImportSource }),
    },
  });
  const wrong = diagnostics?.find((diagnostic) => diagnostic.file !== undefined);
  if (wrong?.file !== undefined) {
    const { line, character } = wrong.file.getLineAndCharacterOfPosition(wrong.start ?? 0);
    const text = ts.flattenDiagnosticMessageText(wrong.messageText, ' ').replace(/\.$/, '');
    throw new Error(`Error transforming ${file}: ${text} (${line + 1}:${character + 1})`);
  }
  const map = {
    ...JSON.parse(sourceMapText ?? '{}'),
    sources: [pathToFileURL(file).href],
    sourcesContent: [source],
  };
  return { code: outputText.replace(/^\/\/# sourceMappingURL=.*$/m, ''), map: JSON.stringify(map) };
}
