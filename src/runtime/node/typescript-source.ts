import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Transform, transform } from 'sucrase';
import { isInPackage } from './typescript-resolution.ts';

export interface JavaScript {
  readonly format: 'module' | 'commonjs';
  readonly source: string;
}

const TYPESCRIPT = /\.(?:[cm]?ts|[jt]sx)$/;

/** The file of a `file:` URL when it is TypeScript or JSX of the project itself. */
export function typeScriptFile(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const file = fileURLToPath(url.split('?', 1)[0] ?? url);
  return TYPESCRIPT.test(file) && !isInPackage(file) ? file : undefined;
}

/** Enums, namespaces, parameter properties and TypeScript's own imports: more than types to take away. */
const MORE_THAN_TYPES =
  /\b(?:enum|namespace|module)\s+[\w.$]+\s*\{|\bconstructor\s*\([^)]*\b(?:public|private|protected|readonly)\s|^\s*(?:import\s+\w+\s*=|export\s*=)/m;

const MODULE_SYNTAX = /^\s*(?:import|export)\b/m;

/** Whether Node would refuse a file with its types taken away; false positives are harmless. */
export function needsTransform(file: string, source: string): boolean {
  if (MORE_THAN_TYPES.test(source)) return true;
  return formatOf(file, source) === 'commonjs' && MODULE_SYNTAX.test(source);
}

/**
 * Removes types, and what else of TypeScript is not JavaScript; lines stay where they are. A debugger shows the file that
 * the source map names, and without one what is left of it.
 */
export function toJavaScript(file: string): JavaScript {
  const source = readFileSync(file, 'utf8');
  const format = formatOf(file, source);
  const transforms: Transform[] = ['typescript'];
  if (/x$/.test(file)) transforms.push('jsx');
  // TypeScript compiles its own import syntax to `require` for CommonJS.
  if (format === 'commonjs') transforms.push('imports');
  const { code, sourceMap } = transform(source, {
    transforms,
    filePath: file,
    disableESTransforms: true,
    preserveDynamicImport: true,
    injectCreateRequireForImportRequire: format === 'module',
    jsxRuntime: 'automatic',
    production: true,
    sourceMapOptions: { compiledFilename: path.basename(file) },
  });
  const map = { ...sourceMap, sources: [pathToFileURL(file).href], sourcesContent: [source] };
  const encoded = Buffer.from(JSON.stringify(map)).toString('base64');
  return { format, source: `${code}\n${MAPPING}data:application/json;base64,${encoded}` };
}

/** In two parts, because a debugger that finds it whole in this file takes what follows for the file's own map. */
const MAPPING = '//# sourceMapping'.concat('URL=');

/** As Node decides: by extension, by the nearest `package.json`, by whether the source has module syntax. */
function formatOf(file: string, source: string): JavaScript['format'] {
  if (/\.mts$/.test(file)) return 'module';
  if (/\.cts$/.test(file)) return 'commonjs';
  const type = packageType(path.dirname(file));
  if (type === 'module' || type === 'commonjs') return type;
  return MODULE_SYNTAX.test(source) ? 'module' : 'commonjs';
}

function packageType(folder: string): unknown {
  const manifest = path.join(folder, 'package.json');
  if (existsSync(manifest)) {
    const parsed: { type?: unknown } = JSON.parse(readFileSync(manifest, 'utf8'));
    return parsed.type;
  }
  const parent = path.dirname(folder);
  return parent === folder ? undefined : packageType(parent);
}
