import { setTimeout as delay } from 'node:timers/promises';
import { type GraphProject, graphProject } from '../support/projects.ts';
import { configure } from '../support/served-project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { check } from './check.ts';
import { CrashingServer, type Stop, stops } from './crashing-server.ts';
import { newJournal } from './journal.ts';
import { random } from './random.ts';
import { work } from './workload.ts';

const MAX_LIFE_MS = 1_500;
const MAX_START_MS = 30_000;
/** A journal is checked as a whole and forgotten after this many ends, or checking would take ever longer. */
const ENDS_A_FOLDER = 20;

export interface CampaignOptions {
  readonly tell?: (line: string) => void;
  /** Makes what is served. */
  readonly prepare?: () => Promise<GraphProject>;
  /** When no further end begins, on the clock of `performance.now()`. */
  readonly until?: number;
}

const KILLS = ['random', 'before', 'after', 'commit', 'runtime'] as const;
type Kill = (typeof KILLS)[number];
/** Those that have a place in the code. */
const POINTS: ReadonlySet<Kill | Stop> = new Set(['before', 'after', 'commit']);

export interface CampaignReport {
  readonly ends: Record<Kill | Stop, number>;
  readonly acknowledged: { threads: number; runs: number; items: number; assistants: number };
}

/**
 * Kills servers and runtimes while clients use them, and as often tells a server to end; starts them again, and checks
 * after each end what the clients' journal says.
 */
export async function campaign(
  wanted: number,
  seed: number,
  { tell = () => {}, prepare = nodeProject, until = Number.POSITIVE_INFINITY }: CampaignOptions = {},
): Promise<CampaignReport> {
  const below = random(seed);
  const kills = { random: 0, before: 0, after: 0, commit: 0, runtime: 0 };
  const ends = { ...kills, SIGTERM: 0, SIGHUP: 0, SIGINT: 0, request: 0, close: 0 };
  const acknowledged = { threads: 0, runs: 0, items: 0, assistants: 0 };
  await using project = await prepare();
  const more = (done: number) => done < wanted && performance.now() < until;
  for (let done = 0; more(done); ) {
    await using data = await temporaryFolder();
    const journal = newJournal();
    for (let inFolder = 0; inFolder < ENDS_A_FOLDER && more(done); inFolder++, done++) {
      const mode =
        done % 2 === 0 ? (KILLS[below(5)] ?? 'random') : (stops[((done - 1) / 2) % 5] ?? 'SIGTERM');
      ends[mode]++;
      const point = POINTS.has(mode) ? `${mode}:${1 + below(150)}` : '';
      tell(`end ${done + 1} of ${wanted}: ${point || mode}`);
      await oneEnd(data.path, project.folder, journal, mode, point, below(MAX_LIFE_MS));
    }
    acknowledged.threads += journal.threads.length;
    acknowledged.runs += journal.runs.length;
    acknowledged.items += journal.items.size;
    acknowledged.assistants += journal.assistants.length;
  }
  return { ends, acknowledged };
}

async function nodeProject(): Promise<GraphProject> {
  const project = await graphProject({ line: 'langgraph-1.7' });
  await configure(project.folder, { graphs: { ten_nodes: './basic.ts:tenNodes' } });
  return project;
}

/** Graphs take their time to load, those of Python above all: a life begins with the first run that was acknowledged. */
async function firstRun(server: CrashingServer, isThere: () => boolean): Promise<void> {
  let gone = false;
  void server.gone.then(() => (gone = true));
  const deadline = Date.now() + MAX_START_MS;
  while (!gone && !isThere() && Date.now() < deadline) await delay(20);
}

async function oneEnd(
  dataDir: string,
  project: string,
  journal: ReturnType<typeof newJournal>,
  mode: Kill | Stop,
  point: string,
  lifeMs: number,
): Promise<void> {
  const server = await CrashingServer.start(dataDir, project, point);
  if (server !== undefined) {
    const done = new AbortController();
    const before = journal.runs.length;
    const working = work(server.url, journal, done.signal);
    await firstRun(server, () => journal.runs.length > before);
    // One with a point dies by itself; one that gets no further is not waited for.
    await Promise.race([server.gone, delay(point === '' ? 500 + lifeMs : 5_000)]);
    if (mode === 'runtime') {
      server.killRuntimes();
      await delay(lifeMs / 4);
    }
    const stop = stops.find((each) => each === mode);
    if (stop === undefined) server.kill();
    else await server.stop(stop).catch(() => {});
    await server.gone;
    done.abort();
    await working;
  }
  const again = await CrashingServer.start(dataDir, project);
  if (again === undefined) throw new Error('The server did not start again.');
  try {
    await check(again.url, journal);
  } finally {
    await again.end();
  }
}
