import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { PurgeJob } from '../../src/contract/purging.ts';
import { platformBundle } from '../support/platform-bundle.ts';
import { BOUNDARY, multipartBody, newRun, postParts, type TestRun } from '../support/traces.ts';
import { eventually } from '../support/wait.ts';

/** How often each fault is injected; soak runs inject it more often. */
const TIMES = Number(process.env.AGENT_HARBOR_FAULTS ?? 10);

/** The platform in a process that can be killed. */
class Victim {
  readonly #child: ChildProcess;
  readonly url: string;
  readonly #key: string;
  readonly exited: Promise<unknown>;

  private constructor(child: ChildProcess, url: string, key: string) {
    this.#child = child;
    this.url = url;
    this.#key = key;
    this.exited = once(child, 'exit');
  }

  /** Starts a server. @returns undefined when it died of the work that it resumed, before it announced its address. */
  static async start(dataDir: string, crashAt = ''): Promise<Victim | undefined> {
    const child = await Victim.#spawn(dataDir, crashAt);
    const line = await Promise.race([
      once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line').then(([first]) =>
        String(first),
      ),
      once(child, 'exit').then(() => undefined),
    ]);
    if (line === undefined) return undefined;
    const { url, key } = JSON.parse(line) as { url: string; key: string };
    return new Victim(child, url, key);
  }

  /** Starts one that only the test ends. */
  static async startWell(dataDir: string): Promise<Victim> {
    const server = await Victim.start(dataDir);
    assert.ok(server, 'the server starts again');
    return server;
  }

  static async #spawn(dataDir: string, crashAt: string): Promise<ChildProcess> {
    const { script, worker } = await platformBundle();
    return spawn(process.execPath, [script, dataDir, worker], {
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
      env: { ...process.env, AGENT_HARBOR_CRASH_AT: crashAt },
    });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  fetch(route: string, init: { method?: string; json?: unknown; parts?: Buffer } = {}): Promise<Response> {
    const headers: Record<string, string> = { 'x-api-key': this.#key };
    if (init.json !== undefined) headers['content-type'] = 'application/json';
    if (init.parts !== undefined) headers['content-type'] = `multipart/form-data; boundary=${BOUNDARY}`;
    const body = init.parts ?? (init.json === undefined ? undefined : JSON.stringify(init.json));
    return fetch(`${this.url}${route}`, {
      method: init.method ?? (body === undefined ? 'GET' : 'POST'),
      headers,
      ...(body === undefined ? {} : { body }),
    });
  }

  async json<T>(route: string, init: { method?: string; json?: unknown } = {}): Promise<T> {
    const response = await this.fetch(route, init);
    assert.ok(response.ok, `${route}: ${response.status}`);
    return (await response.json()) as T;
  }
}

function trace(): TestRun[] {
  const root = newRun();
  return [root, ...Array.from({ length: 4 }, () => newRun({ parent: root }))];
}

const partsOf = (runs: readonly TestRun[]) =>
  multipartBody(
    runs.flatMap((run) => postParts(run, { inputs: { id: run.id }, outputs: { text: 'x'.repeat(500) } })),
  );

describe('a tracing server that is killed', function () {
  this.timeout(Math.max(60_000, TIMES * 30_000));
  let dataDir: string;
  let victim: Victim | undefined;
  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'agent-harbor-faults-'));
  });
  afterEach(async () => {
    victim?.kill();
    await victim?.exited;
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Sends traces until the server dies. @returns those that were acknowledged. */
  async function sendUntilKilled(server: Victim): Promise<TestRun[][]> {
    const acknowledged: TestRun[][] = [];
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (;;) {
          const runs = trace();
          const response = await server
            .fetch('/runs/multipart', { parts: partsOf(runs) })
            .catch(() => undefined);
          if (response === undefined) return;
          assert.equal(response.status, 202);
          acknowledged.push(runs);
        }
      }),
    );
    await server.exited;
    return acknowledged;
  }

  async function assertThere(server: Victim, traces: readonly TestRun[][]): Promise<void> {
    for (const runs of traces) {
      const root = runs[0]?.id;
      const found = await server.json<{ runs: { id: string; inputs: { id: string } }[] }>('/runs/query', {
        json: { trace: root, select: ['id', 'inputs'] },
      });
      assert.deepEqual(found.runs.map((run) => run.id).sort(), runs.map((run) => run.id).sort());
      assert.ok(found.runs.every((run) => run.inputs.id === run.id));
    }
  }

  it(`has every acknowledged span after ${TIMES} kills during ingestion`, async () => {
    const all: TestRun[][] = [];
    const points = ['before-commit', 'after-commit', undefined];
    for (let at = 0; at < TIMES; at++) {
      const point = points[at % points.length];
      const crashAt = point === undefined ? '' : `${point}:${3 + ((at * 7) % 20)}`;
      const server = await Victim.start(dataDir, crashAt);
      assert.ok(server);
      victim = server;
      if (point === undefined) setTimeout(() => server.kill(), 30 + Math.random() * 200);
      all.push(...(await sendUntilKilled(server)));
    }
    victim = await Victim.startWell(dataDir);
    assert.ok(all.length > 0);
    await assertThere(victim, all);
    const stored = await victim.json<{ run_count: number }>('/runs/stats', {
      json: { session: [await projectId(victim)], is_root: true },
    });
    // Committed, but killed before the answer: more may be there, but never less.
    assert.ok((stored.run_count ?? 0) >= all.length);
  });

  it(`finishes its purges after ${TIMES} kills during them`, async () => {
    const points = [
      'purge-matched',
      'purge-before-commit',
      'purge-after-commit',
      'purge-cleaned',
      'purge-verified',
      undefined,
    ];
    const kept: TestRun[][] = [];
    const jobs = new Set<string>();
    for (let at = 0; at < TIMES; at++) {
      const point = points[at % points.length];
      // One may die of the purge that the last one left, before it says where it is: that is a kill as well.
      const server = await Victim.start(dataDir, point);
      if (server === undefined) continue;
      victim = server;
      await purgeSome(server, kept, jobs).catch((error: unknown) => {
        // The server was killed during a purge, which it had continued.
        if (!(error instanceof TypeError)) throw error;
      });
      if (point === undefined) setTimeout(() => server.kill(), Math.random() * 60);
      const [code, signal] = (await server.exited) as [number | null, string | null];
      // Windows has no signals: a process that kills itself exits with 1.
      if (process.platform !== 'win32' || signal !== null) assert.equal(signal, 'SIGKILL');
      else assert.equal(code, 1);
    }
    const server = await Victim.startWell(dataDir);
    victim = server;
    const done = await eventually(
      'the purges end',
      () => server.json<PurgeJob[]>(`/purge/jobs?limit=${Math.min(TIMES, 100)}`),
      (all) => all.every(({ status }) => status === 'verified' || status === 'failed'),
    );
    assert.ok([...jobs].slice(-50).every((id) => done.some((job) => job.id === id)));
    for (const job of done) {
      const counts = [job.status, job.matched, job.deleted, job.remaining];
      assert.deepEqual(counts, ['verified', 5, 5, 0], job.error ?? '');
      const { trace_ids } = job.filter as { trace_ids: string[] };
      for (const id of trace_ids) assert.equal((await server.fetch(`/runs/${id}`)).status, 404);
    }
    await assertThere(server, kept);
    const audit = await server.json<{ event: string }[]>('/purge/audit?limit=100');
    if (TIMES <= 40) assert.equal(audit.filter((entry) => entry.event === 'verified').length, done.length);
  });
});

/** Stores traces and has all but one purged. Throws what `fetch` throws when the server dies. */
async function purgeSome(server: Victim, kept: TestRun[][], jobs: Set<string>): Promise<void> {
  const traces = Array.from({ length: 6 }, trace);
  for (const runs of traces)
    assert.equal((await server.fetch('/runs/multipart', { parts: partsOf(runs) })).status, 202);
  const [stays = [], ...gone] = traces;
  kept.push(stays);
  const { job_id } = await server.json<{ job_id: string }>('/api/v1/runs/delete', {
    json: { session_id: await projectId(server), trace_ids: gone.map((runs) => runs[0]?.id) },
  });
  jobs.add(job_id);
}

async function projectId(server: Victim): Promise<string> {
  const [session] = await server.json<{ id: string }[]>('/sessions?name=test');
  return session?.id ?? '';
}
