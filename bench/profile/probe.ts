/**
 * Preloaded into server and runtime (`node --import`): counts and profiles on request of `npm run profile`.
 * It listens on a separate port, whose number it writes to the folder in its address.
 */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';
import { WorkCounter } from '../../test/support/work-counts.ts';

const folder = new URL(import.meta.url).searchParams.get('folder');
const program = path.basename(process.argv[1] ?? '', '.js');

if (isMainThread && folder !== null && /^(server|runtime-node)$/.test(program)) {
  const counter = new WorkCounter();
  const session = new Session();
  let before = { process: process.cpuUsage(), main: process.threadCpuUsage() };
  session.connect();
  const control = createServer(async (request, response) => {
    if (request.url === '/start') {
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: 200 });
      counter.start();
      await session.post('Profiler.start');
      before = { process: process.cpuUsage(), main: process.threadCpuUsage() };
      response.end('{}');
      return;
    }
    const all = process.cpuUsage(before.process);
    const main = process.threadCpuUsage(before.main);
    const { profile } = await session.post('Profiler.stop');
    const cpu = { process: (all.user + all.system) / 1e3, main: (main.user + main.system) / 1e3 };
    response.end(JSON.stringify({ cpu, ...counter.stop(), profile }));
  });
  control.listen(0, '127.0.0.1', () => {
    writeFileSync(path.join(folder, program), String((control.address() as AddressInfo).port));
  });
  control.unref();
}
