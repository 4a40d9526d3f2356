import { setTimeout as delay } from 'node:timers/promises';
import { type GraphProject, graphProject } from '../support/projects.ts';
import { configure } from '../support/served-project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { check } from './check.ts';
import type { CrashPoint } from './crash-server.ts';
import { CrashingServer, type Stop, stops } from './crashing-server.ts';
import { append, type Journal, newJournal } from './journal.ts';
import { random } from './random.ts';
import { work } from './workload.ts';

const MAX_LIFE_MS = 1_500;
const MAX_START_MS = 30_000;
/**
 * After this many ends of its servers, a folder's whole journal is checked once more, and both are discarded.
 */
const ENDS_PER_FOLDER = 10;

export interface CampaignOptions {
  readonly tell?: (line: string) => void;
  /** Creates the project that is served. */
  readonly prepare?: () => Promise<GraphProject>;
  /** When no further end begins, on the clock of `performance.now()`. */
  readonly until?: number;
}

const KILLS = ['random', 'before', 'after', 'commit', 'runtime'] as const;
type Kill = (typeof KILLS)[number];
/** Kills that happen at a named crash point in the code. */
const POINTS: readonly CrashPoint['when'][] = ['before', 'after', 'commit'];

export interface CampaignReport {
  readonly ends: Record<Kill | Stop, number>;
  readonly acknowledged: { threads: number; runs: number; items: number; assistants: number };
}

/**
 * Kills servers and runtimes while clients use them, and tells servers to stop just as often. Starts them
 * again, and checks after each end that everything in the clients' journal is stored.
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
    await using folder = new FolderUnderFire(data.path, project.folder);
    for (let inFolder = 0; inFolder < ENDS_PER_FOLDER && more(done); inFolder++, done++) {
      const mode =
        done % 2 === 0 ? (KILLS[below(5)] ?? 'random') : (stops[((done - 1) / 2) % 5] ?? 'SIGTERM');
      ends[mode]++;
      const when = POINTS.find((each) => each === mode);
      const point = when && { when, number: 1 + below(150) };
      tell(`end ${done + 1} of ${wanted}: ${mode}${point ? ` ${point.number}` : ''}`);
      await folder.end(mode, point, below(MAX_LIFE_MS));
    }
    const { threads, runs, items, assistants } = await folder.checkAll();
    acknowledged.threads += threads.length;
    acknowledged.runs += runs.length;
    acknowledged.items += items.size;
    acknowledged.assistants += assistants.length;
  }
  return { ends, acknowledged };
}

async function nodeProject(): Promise<GraphProject> {
  const project = await graphProject({ line: 'langgraph-1.7' });
  await configure(project.folder, { graphs: { ten_nodes: './basic.ts:tenNodes' } });
  return project;
}

/** Graphs take a while to load, above all in Python, so a server's life begins with the first acknowledged run. */
async function firstRun(server: CrashingServer, isThere: () => boolean): Promise<void> {
  let gone = false;
  void server.gone.then(() => (gone = true));
  const deadline = Date.now() + MAX_START_MS;
  while (!gone && !isThere() && Date.now() < deadline) await delay(20);
}

/** A data folder whose servers end again and again. */
class FolderUnderFire implements AsyncDisposable {
  readonly #dataDir: string;
  readonly #project: string;
  /** The acknowledged data before the newest end, which has been checked once. */
  readonly #all = newJournal();
  /** The one that answered the last check. */
  #server: CrashingServer | undefined;

  constructor(dataDir: string, project: string) {
    this.#dataDir = dataDir;
    this.#project = project;
  }

  /** Uses a server until it ends, and checks what it acknowledged with the next one. */
  async end(mode: Kill | Stop, point: CrashPoint | undefined, lifeMs: number): Promise<void> {
    const journal = newJournal();
    const server = await this.#startFor(point);
    if (server !== undefined) {
      const done = new AbortController();
      const working = work(server.url, journal, done.signal);
      await firstRun(server, () => journal.runs.length > 0);
      // A server with a point dies by itself; one that does not reach its point is not waited for.
      await Promise.race([server.gone, delay(point === undefined ? 500 + lifeMs : 5_000)]);
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
    const { url } = await this.#start();
    await check(url, journal);
    append(this.#all, journal);
  }

  /** Checks everything that was acknowledged before any of the servers' ends. @returns it */
  async checkAll(): Promise<Journal> {
    if (this.#server !== undefined) await check(this.#server.url, this.#all);
    return this.#all;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.end();
  }

  /** The server of the last check continues, unless one is needed that knows its point from the start. */
  async #startFor(point: CrashPoint | undefined): Promise<CrashingServer | undefined> {
    if (this.#server !== undefined && point === undefined) return this.#server;
    await this.#server?.end();
    return CrashingServer.start(this.#dataDir, this.#project, point);
  }

  async #start(): Promise<CrashingServer> {
    this.#server = await CrashingServer.start(this.#dataDir, this.#project);
    if (this.#server === undefined) throw new Error('The server did not start again.');
    return this.#server;
  }
}
