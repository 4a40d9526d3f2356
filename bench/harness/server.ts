import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { patience } from '../../test/support/wait.ts';
import type { Child } from './children.ts';
import type { RunningSubject } from './subject.ts';

const startTimeoutMs = 60_000 * patience;

/**
 * Waits until a started server answers `GET /ok` with 200.
 *
 * @throws an Error with the end of its output when it exits or does not answer within a minute
 */
export async function whenAnswering(child: Child, port: number): Promise<RunningSubject> {
  const url = `http://127.0.0.1:${port}`;
  const stop = () => child.stop();
  const deadline = Date.now() + startTimeoutMs;
  while (!(await answers(url))) {
    if (child.exited || Date.now() > deadline) {
      const output = `${await child.output('stdout')}${await child.output('stderr')}`.trim();
      const how = child.exited ? 'ended' : 'did not answer in time';
      await stop();
      throw new Error(`${child.name} ${how}: ${output.slice(-2_000)}`);
    }
    await sleep(2);
  }
  const answeredAt = process.hrtime.bigint();
  return { url, spawnedAt: child.spawnedAt, answeredAt, pids: () => child.pids(), stop };
}

async function answers(url: string): Promise<boolean> {
  try {
    const { statusCode, body } = await request(`${url}/ok`);
    await body.dump();
    return statusCode === 200;
  } catch {
    return false;
  }
}

/** A free port on 127.0.0.1. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address && typeof address === 'object') resolve(address.port);
        else reject(new Error('No port of 127.0.0.1 could be found.'));
      });
    });
  });
}
