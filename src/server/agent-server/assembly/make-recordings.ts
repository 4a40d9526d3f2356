import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import type { LogBook } from '../../runtimes/output/log-book.ts';
import { Recorder } from '../recordings/recorder.ts';
import { Replays } from '../recordings/replays.ts';
import { MasksOfRuns } from '../recordings/run-masks.ts';
import type { LiveRuns } from '../runs/live-runs.ts';
import type { Stores } from './make-stores.ts';

/** The parts that record the requests of runs to models and tools, and answer them from recordings. */
export interface RecordingParts {
  readonly recorder: Recorder;
  readonly replays: Replays;
}

export function makeRecordings(
  log: LogBook,
  { runtime, stores, live }: { runtime: DeploymentRuntime; stores: Stores; live: LiveRuns },
): RecordingParts {
  const { db, queue, runs, exchanges } = stores;
  const masks = new MasksOfRuns(runtime);
  return {
    recorder: new Recorder({ queue, live, runs, exchanges, masks, log }),
    replays: new Replays({ db, live, exchanges, masks, reports: stores.replays }),
  };
}
