/**
 * Module hooks that load TypeScript without `tsx`, in both of Node's forms: `resolve` and `load` for a hooks thread
 * (Node 20), `resolveSync` and `loadSync` for hooks in the thread itself (Node 22.15 and later).
 */
import { resolutions, toJavaScript, typeScriptFile } from './typescript-source.ts';

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
  return transformed(url) ?? next(url, context);
}

/** Node strips types itself here; what it refuses (enums, JSX and the like) is transformed. */
export function loadSync<Context>(
  url: string,
  context: Context,
  next: (url: string, context: Context) => Loaded,
): Loaded {
  try {
    return next(url, context);
  } catch (error) {
    const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
    const refused =
      code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX' || code === 'ERR_UNKNOWN_FILE_EXTENSION'
        ? transformed(url)
        : undefined;
    if (refused === undefined) throw error;
    return refused;
  }
}

function transformed(url: string): Loaded | undefined {
  const file = typeScriptFile(url);
  return file === undefined ? undefined : { ...toJavaScript(file), shortCircuit: true };
}
