import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what systems give to connections, one of which could otherwise take the port before a server that starts does. */
const FROM = 15_000;
const TO = 32_000;

/** A port of this machine that nothing uses. What runs beside this takes another one, most likely. */
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
