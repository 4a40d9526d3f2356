import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Transform, transform } from 'sucrase';
import type { Compiled, CompilerOptions, ModuleSource } from './typescript-compiler.ts';
import { nearestConfig } from './typescript-config.ts';
import { isInPackage, TYPESCRIPT } from './typescript-resolution.ts';

/** A converted module. */
export interface JavaScript {
  readonly format: ModuleSource['format'];
  readonly source: string;
}

const JSX = /\.[jt]sx$/;

/** The file of a `file:` URL when it is TypeScript, or JSX of the project itself. */
export function typeScriptFile(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const file = fileURLToPath(url.split('?', 1)[0] ?? url);
  return TYPESCRIPT.test(file) || (JSX.test(file) && !isInPackage(file)) ? file : undefined;
}

/** Syntax that sucrase cannot convert. A false positive costs only the time to load the compiler. */
const NEEDS_COMPILER = [
  // Namespaces.
  /\b(?:namespace|module)\s+[\w.$]+\s*\{/,
  // Decorators, but not tags of JSDoc.
  /(?:^|[{};,()]|\b(?:export|default|static|public|private|protected|readonly|override|abstract)\s)\s*@(?!link|inheritDoc|type\b)[\w$(]/m,
  // Aliases of imports: `import Short = Long.Name`.
  /^\s*(?:export\s+)?import\s+\w+\s*=\s*(?!require\b)/m,
  /\baccessor\s+[\w#$]/,
  /\busing\s+\w+\s*=/,
];

/**
 * Converts a file of TypeScript or JSX to JavaScript, with the options of the nearest tsconfig.json. sucrase
 * is fast and converts most files. TypeScript's own compiler converts the others, and reports errors. The
 * source map refers to the file itself, so that debuggers show it. If the tsconfig.json cannot be used, the
 * log says so once.
 */
export function toJavaScript(file: string): JavaScript {
  const source = readFileSync(file, 'utf8');
  const format = formatOf(file, source);
  const { options, problem } = nearestConfig(file);
  if (problem !== undefined) warnOnce(problem);
  const { code, map } = convert({ file, source, format }, options);
  const encoded = Buffer.from(map).toString('base64');
  return { format, source: `${code}\n${MAPPING}data:application/json;base64,${encoded}` };
}

const warnings = new Set<string>();

function warnOnce(problem: string): void {
  if (warnings.has(problem)) return;
  warnings.add(problem);
  console.warn(problem);
}

/**
 * The marker of a source map. It is joined from two parts, because debuggers would take the whole marker in
 * this file for the file's own source map.
 */
const MAPPING = '//# sourceMapping'.concat('URL=');

function convert(module: ModuleSource, options: CompilerOptions): Compiled {
  const definesFields = options.useDefineForClassFields ?? hasFields(options.target);
  const needsCompiler =
    NEEDS_COMPILER.some((pattern) => pattern.test(module.source)) ||
    (!definesFields && /\bclass\b/.test(module.source));
  if (!needsCompiler) {
    try {
      return convertFast(module, options);
    } catch {
      // The compiler supports more of the language, or reports the error.
    }
  }
  return loadCompiler().compile(module, options, { areDefined: definesFields });
}

/**
 * Whether TypeScript, for this target, keeps class fields instead of turning them into assignments in the
 * constructor.
 */
function hasFields(target: string | undefined): boolean {
  const year = /^es(\d+)$/i.exec(target ?? '')?.[1];
  return year === undefined || Number(year) >= 2022;
}

/** Converts a module with sucrase. */
function convertFast(
  { file, source, format }: ModuleSource,
  { jsx, jsxFactory, jsxFragmentFactory, jsxImportSource, verbatimModuleSyntax }: CompilerOptions,
): Compiled {
  const transforms: Transform[] = ['typescript'];
  if (JSX.test(file)) transforms.push('jsx');
  // TypeScript compiles its own import syntax to `require` for CommonJS.
  if (format === 'commonjs') transforms.push('imports');
  const { code, sourceMap } = transform(source, {
    transforms,
    filePath: file,
    disableESTransforms: true,
    preserveDynamicImport: true,
    injectCreateRequireForImportRequire: format === 'module',
    keepUnusedImports: verbatimModuleSyntax === true,
    jsxRuntime: jsx === 'react' ? 'classic' : 'automatic',
    production: true,
    ...(jsxFactory === undefined ? {} : { jsxPragma: jsxFactory }),
    ...(jsxFragmentFactory === undefined ? {} : { jsxFragmentPragma: jsxFragmentFactory }),
    ...(jsxImportSource === undefined ? {} : { jsxImportSource }),
    sourceMapOptions: { compiledFilename: path.basename(file) },
  });
  const map = { ...sourceMap, sources: [pathToFileURL(file).href], sourcesContent: [source] };
  return { code, map: JSON.stringify(map) };
}

/** Loads the compiler from a separate bundle, because it is 3 MB and few projects need it. */
function loadCompiler(): typeof import('./typescript-compiler.ts') {
  const isSource = import.meta.url.endsWith('.ts');
  const bundle = isSource ? './typescript-compiler.ts' : './runtime-node-compiler.cjs';
  const required: typeof import('./typescript-compiler.ts') = createRequire(import.meta.url)(bundle);
  return required;
}

const MODULE_SYNTAX = /^\s*(?:import|export)\b/m;

/**
 * The format of a file by Node's rules: its extension, the nearest `package.json`, and whether it has module
 * syntax.
 */
function formatOf(file: string, source: string): JavaScript['format'] {
  if (/\.mts$/.test(file)) return 'module';
  if (/\.cts$/.test(file)) return 'commonjs';
  const type = packageType(path.dirname(file));
  if (type === 'module' || type === 'commonjs') return type;
  return MODULE_SYNTAX.test(source) ? 'module' : 'commonjs';
}

/** The `type` in the package.json of the folder, or of the nearest folder above that has one. */
function packageType(folder: string): unknown {
  const manifest = path.join(folder, 'package.json');
  if (existsSync(manifest)) {
    const parsed: { type?: unknown } = JSON.parse(readFileSync(manifest, 'utf8'));
    return parsed.type;
  }
  const parent = path.dirname(folder);
  return parent === folder ? undefined : packageType(parent);
}
