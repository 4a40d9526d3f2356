import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that systems assign: a program that asks for any port could otherwise take it before the
 * container listens, and be mistaken for it.
 */
const FIRST_PORT = 20_000;
const END_PORT = 32_000;
const MAX_ATTEMPTS = 100;

/** A port of this machine that nothing listens at. @throws Error when none is found. */
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
    // On all addresses, as servers in containers listen.
    server.listen({ port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
