import { Socket } from 'node:net';
import process from 'node:process';
import type { ServerPipe } from './server-pipe.ts';

/**
 * Opens the pipe that the process inherits: one descriptor, or in a container one to read and one to write.
 */
export async function openServerPipe(): Promise<ServerPipe> {
  const [fd = 3, output] = process.env.AGENT_HARBOR_RUNTIME_FD?.split(',').map(Number) ?? [];
  if (output === undefined) return { stream: new Socket({ fd, readable: true, writable: true }) };
  // A separate bundle, because most runtimes are not in a container.
  const url = new URL('./runtime-node-container.js', import.meta.url).href;
  const container: typeof import('./container.ts') = await import(url);
  return container.openContainerPipe(fd, output);
}
