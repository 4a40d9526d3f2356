import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the range of outgoing connections, which could otherwise take the port before the server does. */
const FROM = 15_000;
const TO = 32_000;

/** A port on this machine that nothing uses. Tests that run at the same time most likely get another one. */
export async function unusedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(FROM, TO);
    if (await isUnused(port)) return port;
  }
}

async function isUnused(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  await once(server.close(), 'close');
  return true;
}
