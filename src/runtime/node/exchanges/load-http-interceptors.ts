import type { Exchanges } from './exchanges.ts';
import type { HttpInterceptors } from './http-interceptors.ts';

/** A separate bundle next to this file, because only recorded and replayed runs need it. */
const bundleUrl = new URL(
  import.meta.url.endsWith('.ts') ? './http-interceptors.ts' : './runtime-node-http.js',
  import.meta.url,
).href;

export async function loadHttpInterceptors(exchanges: Exchanges): Promise<HttpInterceptors> {
  const loaded: typeof import('./http-interceptors.ts') = await import(bundleUrl);
  return new loaded.HttpInterceptors(exchanges);
}
