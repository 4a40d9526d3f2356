import type { Exchanges } from './exchanges.ts';
import type { HttpGate } from './http-gate.ts';

/** In a bundle of its own next to this file, because only recorded and replayed runs need it. */
const gateUrl = new URL(
  import.meta.url.endsWith('.ts') ? './http-gate.ts' : './runtime-node-http.js',
  import.meta.url,
).href;

export async function loadHttpGate(exchanges: Exchanges): Promise<HttpGate> {
  const loaded: typeof import('./http-gate.ts') = await import(gateUrl);
  return new loaded.HttpGate(exchanges);
}
