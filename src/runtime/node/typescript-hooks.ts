/**
 * Module hooks that load TypeScript without `tsx`, in both of Node's forms: `resolve` and `load` for a hooks thread
 * (Node 20), `resolveSync` and `loadSync` for hooks in the thread itself (Node 22.15 and later).
 */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { resolutions } from './typescript-resolution.ts';
import { needsTransform, toJavaScript, typeScriptFile } from './typescript-source.ts';

export { toJavaScript };

interface ResolveContext {
  parentURL?: string | undefined;
}
interface Resolved {
  url: string;
  shortCircuit?: boolean;
  format?: string | null | undefined;
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
  try {
    return next(specifier, context);
  } catch (error) {
    return resolveOtherwise(specifier, context, error);
  }
}

function resolveOtherwise(specifier: string, context: ResolveContext, error: unknown): Resolved {
  const [url] = resolutions(specifier, context.parentURL);
  if (url === undefined) throw error;
  return { url, shortCircuit: true };
}

export async function load<Context>(
  url: string,
  context: Context,
  next: (url: string, context: Context) => Loaded | Promise<Loaded>,
): Promise<Loaded> {
  const file = typeScriptFile(url);
  return file === undefined ? next(url, context) : { ...toJavaScript(file), shortCircuit: true };
}

/** Where Node strips types itself, only what it would refuse is transformed. */
export function loadSync<Context>(
  url: string,
  context: Context,
  next: (url: string, context: Context) => Loaded,
): Loaded {
  const file = typeScriptFile(url);
  if (file === undefined) return next(url, context);
  if (!process.features.typescript || /x$/.test(file)) return { ...toJavaScript(file), shortCircuit: true };
  const loaded = next(url, context);
  const source = typeof loaded.source === 'string' ? loaded.source : readFileSync(file, 'utf8');
  return needsTransform(file, source) ? { ...toJavaScript(file), shortCircuit: true } : loaded;
}
