import type { Target, Turns } from './bench.ts';
import type { BenchGraph } from './graphs.ts';
import type { StreamedRun } from './http-client.ts';
import type { SubjectName } from './subject.ts';

/** Consecutive runs, few enough that no subject is idle for seconds while the others have their turn. */
const turn = { runs: 25, ms: 500 };
const WARM_UPS = 8;

/**
 * Turns of consecutive runs, each on a new thread, whose creation is not part of the run's times. A slow subject makes
 * fewer runs per turn; the first run of a turn only wakes the connection and is not recorded.
 */
export function runTurns(graph: BenchGraph, record: (subject: SubjectName, run: StreamedRun) => void): Turns {
  const run = async ({ client }: Target) => client.streamRun(await client.createThread(), graph);
  return {
    warmUp: (target) => repeat(turn, () => run(target)),
    warmUps: WARM_UPS,
    turn: async (target) => {
      await run(target);
      await repeat(turn, async () => record(target.name, await run(target)));
    },
  };
}

/** Repeats `work` until either limit is reached, at least once. @returns the number of times. */
export async function repeat(
  limit: { runs: number; ms: number },
  work: () => Promise<unknown>,
): Promise<number> {
  const deadline = performance.now() + limit.ms;
  let runs = 0;
  do {
    await work();
    runs++;
  } while (runs < limit.runs && performance.now() < deadline);
  return runs;
}

/**
 * Runs by many clients at once: each creates a thread, streams a run on it to the end, and begins again.
 *
 * @param more decides before each run whether it may start
 * @returns runs per second, from the first request to the end of the last stream
 */
export async function runsPerSecond(
  { client }: Target,
  graph: BenchGraph,
  clients: number,
  more: (begun: number, elapsedMs: number) => boolean,
): Promise<number> {
  const startedAt = performance.now();
  let begun = 0;
  const loop = async () => {
    while (more(begun, performance.now() - startedAt)) {
      begun++;
      await client.streamRun(await client.createThread(), graph);
    }
  };
  await Promise.all(Array.from({ length: clients }, loop));
  return begun / ((performance.now() - startedAt) / 1_000);
}
