import { setTimeout as delay } from 'node:timers/promises';
import { type GraphProject, graphProject } from '../support/projects.ts';
import { configure } from '../support/served-project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { check } from './check.ts';
import { CrashingServer } from './crashing-server.ts';
import { newJournal } from './journal.ts';
import { random } from './random.ts';
import { work } from './workload.ts';

const LONGEST_LIFE_MS = 1_500;
const LONGEST_START_MS = 30_000;
/** A journal is checked as a whole and forgotten after this many kills, or checking would take ever longer. */
const KILLS_A_FOLDER = 20;

export interface CampaignOptions {
  readonly tell?: (line: string) => void;
  /** Makes what is served. */
  readonly prepare?: () => Promise<GraphProject>;
  /** When no further kill begins, on the clock of `performance.now()`. */
  readonly until?: number;
}

export interface CampaignReport {
  readonly kills: Record<'random' | 'before' | 'after' | 'commit' | 'runtime', number>;
  readonly acknowledged: { threads: number; runs: number; items: number; assistants: number };
}

/**
 * Kills servers and runtimes while clients use them, starts them again, and checks after each kill what the clients'
 * journal says.
 */
export async function campaign(
  kills: number,
  seed: number,
  { tell = () => {}, prepare = nodeProject, until = Number.POSITIVE_INFINITY }: CampaignOptions = {},
): Promise<CampaignReport> {
  const below = random(seed);
  const counts = { random: 0, before: 0, after: 0, commit: 0, runtime: 0 };
  const acknowledged = { threads: 0, runs: 0, items: 0, assistants: 0 };
  await using project = await prepare();
  const more = (done: number) => done < kills && performance.now() < until;
  for (let done = 0; more(done); ) {
    await using data = await temporaryFolder();
    const journal = newJournal();
    for (let inFolder = 0; inFolder < KILLS_A_FOLDER && more(done); inFolder++, done++) {
      const mode = (['random', 'before', 'after', 'commit', 'runtime'] as const)[below(5)] ?? 'random';
      counts[mode]++;
      const point = mode === 'random' || mode === 'runtime' ? '' : `${mode}:${1 + below(150)}`;
      tell(`kill ${done + 1} of ${kills}: ${point || mode}`);
      await oneKill(data.path, project.folder, journal, mode, point, below(LONGEST_LIFE_MS));
    }
    acknowledged.threads += journal.threads.length;
    acknowledged.runs += journal.runs.length;
    acknowledged.items += journal.items.size;
    acknowledged.assistants += journal.assistants.length;
  }
  return { kills: counts, acknowledged };
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
  const deadline = Date.now() + LONGEST_START_MS;
  while (!gone && !isThere() && Date.now() < deadline) await delay(20);
}

async function oneKill(
  dataDir: string,
  project: string,
  journal: ReturnType<typeof newJournal>,
  mode: keyof CampaignReport['kills'],
  point: string,
  lifeMs: number,
): Promise<void> {
  const server = await CrashingServer.start(dataDir, project, point);
  if (server !== undefined) {
    const stop = new AbortController();
    const before = journal.runs.length;
    const working = work(server.url, journal, stop.signal);
    await firstRun(server, () => journal.runs.length > before);
    // One with a point dies by itself; one that gets no further is not waited for.
    await Promise.race([server.gone, delay(point === '' ? 500 + lifeMs : 5_000)]);
    if (mode === 'runtime') {
      server.killRuntimes();
      await delay(lifeMs / 4);
    }
    server.kill();
    await server.gone;
    stop.abort();
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
