import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * The first port to try. The range is below the ports that systems assign, because a program that gets an assigned port
 * could take it before the container listens, and be mistaken for the container.
 */
const FIRST_PORT = 20_000;
const END_PORT = 32_000;
const MAX_ATTEMPTS = 100;

/** A port on this machine on which nothing is listening. @throws Error when none is found. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const port = randomInt(FIRST_PORT, END_PORT);
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port was found from ${FIRST_PORT} to ${END_PORT - 1}.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    // The port is tested on all addresses, because servers in containers listen on all of them.
    server.listen({ port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
