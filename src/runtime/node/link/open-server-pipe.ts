import { Socket } from 'node:net';
import process from 'node:process';
import type { ServerPipe } from './server-pipe.ts';

/** Opens what the process inherits: a descriptor, or in a container one to read and one to write. */
export async function openServerPipe(): Promise<ServerPipe> {
  const [fd = 3, output] = process.env.AGENT_HARBOR_RUNTIME_FD?.split(',').map(Number) ?? [];
  if (output === undefined) return { stream: new Socket({ fd, readable: true, writable: true }) };
  // A bundle of its own: most runtimes are in no container.
  const url = new URL('./runtime-node-container.js', import.meta.url).href;
  const container: typeof import('./container.ts') = await import(url);
  return container.openContainerPipe(fd, output);
}
