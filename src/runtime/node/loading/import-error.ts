import { GraphLoadError } from '../errors/runtime-error.ts';

/** A separate bundle next to this file, because only modules that cannot be imported need it. */
const explanationUrl = new URL(
  import.meta.url.endsWith('.ts') ? './explain-import.ts' : './runtime-node-explain-import.js',
  import.meta.url,
).href;

/** The error of a module that could not be imported: one sentence, with the place in the source. */
export async function importError(file: string, error: unknown): Promise<GraphLoadError> {
  const loaded: typeof import('./explain-import.ts') = await import(explanationUrl);
  const { text, location } = await loaded.explainImport(file, error);
  const elsewhere =
    location !== undefined && location.file !== file ? ` (${location.file}:${location.line})` : '';
  return new GraphLoadError(`${file} could not be loaded: ${text}${elsewhere}`, { cause: error, location });
}
