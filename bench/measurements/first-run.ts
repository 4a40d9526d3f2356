import type { Bench, Prepared } from '../harness/bench.ts';
import { forgetFiles } from '../harness/cold-files.ts';
import { oneNode } from '../harness/graphs.ts';
import { type Measurement, turns } from '../harness/measurement.ts';
import { Row } from '../harness/row.ts';

/** From asking for the process to the end of the first run, with its files not yet, or already, in the file cache. */
export const firstRun: Measurement = {
  name: 'first-run',
  takes: turns(0, 4, { once: 0, round: 10 }),
  run: async (bench) => {
    const cold = firstRunRow('first finished run, files on disk');
    const warm = firstRunRow('first finished run, files in memory');
    for (let round = 0; round < bench.rounds; round++) {
      await bench.eachSubject(async (prepared) => {
        await forgetFiles(prepared.project);
        cold.add(prepared.subject.name, await startAndRun(bench, prepared));
        warm.add(prepared.subject.name, await startAndRun(bench, prepared));
      }, round);
    }
    return [cold, warm];
  },
};

function firstRunRow(title: string): Row {
  return new Row({ title, unit: 'ms', target: { bound: 'at most', value: 1, times: 'peer' } });
}

/** Starts a server and executes a run. @returns the milliseconds from the start of the process to the end of the run */
async function startAndRun(bench: Bench, prepared: Prepared): Promise<number> {
  const { server, client, stop } = await bench.start(prepared);
  try {
    await client.streamRun(await client.createThread(), oneNode);
    return Number(process.hrtime.bigint() - server.spawnedAt) / 1e6;
  } finally {
    await stop();
  }
}
