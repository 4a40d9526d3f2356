/**
 * Module hooks that load TypeScript without `tsx`, in both of Node's forms: `resolve` and `load` for a hooks
 * thread (Node 20), `resolveSync` and `loadSync` for hooks in the thread itself (Node 22.15 and later).
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isObject } from '../../../process/objects.ts';
import { isInPackage, preferredResolutions, resolutions } from './typescript-resolution.ts';
import { toJavaScript, typeScriptFile } from './typescript-source.ts';

// `explain-import.ts` finds syntax errors with it.
export { toJavaScript };

interface ResolveContext {
  parentURL?: string | undefined;
}
interface Resolved {
  url: string;
  shortCircuit?: boolean;
  format?: string | null | undefined;
}
interface LoadContext {
  conditions?: readonly string[];
  importAttributes?: Readonly<Record<string, string | undefined>>;
}
interface Loaded {
  format: string | null | undefined;
  source?: string | ArrayBuffer | NodeJS.TypedArray | undefined;
  shortCircuit?: boolean;
}

export async function resolve<Context extends ResolveContext>(
  specifier: string,
  context: Context,
  next: (specifier: string, context: Context) => Resolved | Promise<Resolved>,
): Promise<Resolved> {
  const [preferred] = preferredResolutions(specifier, context.parentURL);
  if (preferred !== undefined) return { url: preferred, shortCircuit: true };
  try {
    return await next(specifier, context);
  } catch (error) {
    return resolveOtherwise(specifier, context, error);
  }
}

export function resolveSync<Context extends ResolveContext>(
  specifier: string,
  context: Context,
  next: (specifier: string, context: Context) => Resolved,
): Resolved {
  const [preferred] = preferredResolutions(specifier, context.parentURL);
  if (preferred !== undefined) return { url: preferred, shortCircuit: true };
  try {
    return next(specifier, context);
  } catch (error) {
    return resolveOtherwise(specifier, context, error);
  }
}

function resolveOtherwise(specifier: string, context: ResolveContext, error: unknown): Resolved {
  const missing =
    error instanceof Error && 'url' in error && typeof error.url === 'string' ? error.url : undefined;
  const [url] = resolutions(specifier, context.parentURL, missing);
  if (url === undefined) throw error;
  return { url, shortCircuit: true };
}

export async function load<Context extends LoadContext>(
  url: string,
  context: Context,
  next: (url: string, context: Context) => Loaded | Promise<Loaded>,
): Promise<Loaded> {
  return converted(url, context) ?? next(url, context);
}

export function loadSync<Context extends LoadContext>(
  url: string,
  context: Context,
  next: (url: string, context: Context) => Loaded,
): Loaded {
  return converted(url, context) ?? next(url, context);
}

function converted(url: string, context: LoadContext): Loaded | undefined {
  const file = typeScriptFile(url);
  if (file !== undefined) return { ...toJavaScript(file), shortCircuit: true };
  return isPlainJson(url, context) ? { ...jsonModule(fileURLToPath(url)), shortCircuit: true } : undefined;
}

/**
 * Whether a JSON file of the project is imported without the attribute that Node requires, as in TypeScript.
 */
function isPlainJson(url: string, { conditions = [], importAttributes = {} }: LoadContext): boolean {
  if (!/^file:[^?#]*\.json$/.test(url) || conditions.includes('require')) return false;
  return importAttributes.type === undefined && !isInPackage(fileURLToPath(url));
}

/** A JSON module whose keys are also exports, as with `resolveJsonModule`. */
function jsonModule(file: string): Loaded {
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  const value: unknown = JSON.parse(text);
  const names = isObject(value) ? Object.keys(value).filter((name) => name !== 'default') : [];
  const exported = names.map(
    (name, at) =>
      `const $${at} = json[${JSON.stringify(name)}]; export { $${at} as ${JSON.stringify(name)} };`,
  );
  return {
    format: 'module',
    source: `const json = JSON.parse(${JSON.stringify(text)});\nexport default json;\n${exported.join('\n')}`,
  };
}
