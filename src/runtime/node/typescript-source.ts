import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Transform, transform } from 'sucrase';

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

/**
 * What a relative import of TypeScript may mean besides its letter: `./state.js` is written for `state.ts`, `./state`
 * for `state.ts` or `state/index.ts`.
 *
 * @returns URLs of files that exist
 */
export function resolutions(specifier: string, parentUrl: string | undefined): string[] {
  const relative = /^\.{1,2}(?:\/|$)/.test(specifier);
  if (!relative || parentUrl === undefined || !parentUrl.startsWith('file:')) return [];
  if (isInPackage(fileURLToPath(parentUrl))) return [];
  const file = fileURLToPath(new URL(specifier, parentUrl));
  const { dir, name, ext } = path.parse(file);
  const stem = path.join(dir, name);
  const candidates =
    ext === '.js' || ext === '.jsx'
      ? [`${stem}.ts`, `${stem}.tsx`]
      : ext === '.mjs'
        ? [`${stem}.mts`]
        : ext === '.cjs'
          ? [`${stem}.cts`]
          : ['.ts', '.tsx', '.mts', '.cts', '.js', '.mjs', '.cjs'].flatMap((end) => [
              `${file}${end}`,
              path.join(file, `index${end}`),
            ]);
  return candidates.filter((candidate) => existsSync(candidate)).map((found) => pathToFileURL(found).href);
}

/** Removes types, and what else of TypeScript is not JavaScript; lines stay where they are. */
export function toJavaScript(file: string): JavaScript {
  const source = readFileSync(file, 'utf8');
  const format = formatOf(file, source);
  const transforms: Transform[] = ['typescript'];
  if (/x$/.test(file)) transforms.push('jsx');
  // TypeScript compiles its own import syntax to `require` for CommonJS.
  if (format === 'commonjs') transforms.push('imports');
  const { code } = transform(source, {
    transforms,
    filePath: file,
    disableESTransforms: true,
    preserveDynamicImport: true,
    injectCreateRequireForImportRequire: format === 'module',
    jsxRuntime: 'automatic',
    production: true,
  });
  return { format, source: code };
}

/** As Node decides: by extension, by the nearest `package.json`, by whether the source has module syntax. */
function formatOf(file: string, source: string): JavaScript['format'] {
  if (/\.mts$/.test(file)) return 'module';
  if (/\.cts$/.test(file)) return 'commonjs';
  const type = packageType(path.dirname(file));
  if (type === 'module' || type === 'commonjs') return type;
  return /^\s*(?:import|export)\b/m.test(source) ? 'module' : 'commonjs';
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

function isInPackage(file: string): boolean {
  return file.split(path.sep).includes('node_modules');
}
