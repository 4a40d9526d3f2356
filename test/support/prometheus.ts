import { execFile, spawn } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { dump, load } from 'js-yaml';
import type { Context } from 'mocha';
import { z } from 'zod';
import { messageOf } from '../../src/process/message-of.ts';
import { installOnce, projectRoot } from './cache.ts';
import { skip } from './skip.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { unusedPort } from './unused-port.ts';
import { eventually, FinalFailure, patience } from './wait.ts';

const execute = promisify(execFile);
const folder = path.join(projectRoot, 'examples', 'team');

/** The paths of Prometheus and of its tool. */
export interface PrometheusPrograms {
  readonly prometheus: string;
  readonly promtool: string;
}

/** Debian's package, unpacked into the cache; skips the tests of a suite if it is not available. */
export async function requirePrometheus(context: Context): Promise<PrometheusPrograms> {
  context.timeout(120_000 * patience);
  try {
    const installed = await installOnce({
      name: 'prometheus',
      versions: { debian: 'bookworm', packages: 'prometheus' },
      install: unpack,
    });
    const bin = path.join(installed.folder, 'usr/bin');
    const programs = { prometheus: path.join(bin, 'prometheus'), promtool: path.join(bin, 'promtool') };
    await execute(programs.promtool, ['--version']);
    return programs;
  } catch (error) {
    return skip(context, `Prometheus cannot be had: ${messageOf(error).split('\n')[0]}`);
  }
}

async function unpack(target: string): Promise<Record<string, string>> {
  await execute('apt-get', ['download', 'prometheus'], { cwd: target, timeout: 60_000 * patience });
  for (const name of await readdir(target)) {
    if (!name.endsWith('.deb')) continue;
    await execute('dpkg-deb', ['--extract', name, target], { cwd: target });
    await rm(path.join(target, name));
  }
  return {};
}

/** The factor by which time passes faster in tests than in the rules. */
export const FASTER = 20;

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const Unit = z.enum(['s', 'm', 'h', 'd']);

/**
 * The rules of examples/team for time that passes faster: shortens how long a condition must hold, ranges, and ages.
 * Real durations, such as those of requests, stay as they are.
 */
export function fasterRules(rules: string): string {
  const shorter = (amount: string, unit: string) =>
    `${(Number(amount) * UNITS[Unit.parse(unit)]) / FASTER}ms`;
  return rules
    .replaceAll(/(?<=for: )(\d+)([smhd])$/gm, (_, amount, unit) => shorter(amount, unit))
    .replaceAll(/(?<=\[)(\d+)([smhd])(?=\])/g, (_, amount, unit) => shorter(amount, unit))
    .replaceAll(
      /(?<=(?:wait_time_max|oldest_snapshot_seconds)(?:\[\w+\]\))?\) > )(\d+)/g,
      (_, seconds) => `${Number(seconds) / FASTER}`,
    );
}

/**
 * A Prometheus that scrapes servers of a platform every four seconds, because responses are slow on a busy
 * machine.
 */
export interface Prometheus extends AsyncDisposable {
  /** The names of the alerts that are firing. */
  firing(): Promise<ReadonlySet<string>>;
  /** The result of a query, for messages. */
  query(query: string): Promise<unknown>;
}

const Alerts = z.object({
  data: z.object({
    alerts: z.array(z.object({ labels: z.record(z.string(), z.string()), state: z.string() })),
  }),
});
const Configuration = z.looseObject({
  scrape_configs: z.array(
    z.looseObject({
      job_name: z.string(),
      authorization: z.looseObject({}).optional(),
      static_configs: z.array(z.object({ targets: z.array(z.string()) })),
    }),
  ),
});

/**
 * Starts it with the configuration and the rules of examples/team.
 * @param options.targets hosts and ports of the servers. @param options.key that of the team.
 */
export async function startPrometheus(
  { prometheus }: PrometheusPrograms,
  { targets, key }: { readonly targets: readonly string[]; readonly key: string },
): Promise<Prometheus> {
  await using cleanup = new AsyncDisposableStack();
  const scratch = cleanup.use(await temporaryFolder()).path;
  const file = (name: string) => path.join(scratch, name);
  const given = Configuration.parse(load(await readFile(path.join(folder, 'prometheus.yaml'), 'utf8')));
  const platform = given.scrape_configs.filter(({ job_name }) => job_name === 'agent-harbor-platform');
  const configuration = {
    ...given,
    global: { scrape_interval: '4s', scrape_timeout: '4s', evaluation_interval: '500ms' },
    rule_files: [file('alerts.yaml')],
    scrape_configs: platform.map((one) => ({
      ...one,
      authorization: { credentials_file: file('key') },
      static_configs: [{ targets }],
    })),
  };
  await writeFile(file('prometheus.yaml'), dump(configuration));
  await writeFile(file('key'), key);
  await writeFile(file('alerts.yaml'), fasterRules(await readFile(path.join(folder, 'alerts.yaml'), 'utf8')));
  const address = `127.0.0.1:${await unusedPort()}`;
  let said = '';
  const child = spawn(
    prometheus,
    [
      `--config.file=${file('prometheus.yaml')}`,
      `--storage.tsdb.path=${file('data')}`,
      `--web.listen-address=${address}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4_000);
  });
  cleanup.defer(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null && child.kill('SIGKILL')) await ended;
  });
  const ask = async (route: string): Promise<unknown> =>
    (await fetch(`http://${address}/api/v1/${route}`)).json();
  await eventually(
    'Prometheus answers',
    async () => {
      if (child.exitCode !== null) throw new FinalFailure(`Prometheus ended: ${said}`);
      return Alerts.parse(await ask('alerts'));
    },
    Boolean,
    60_000,
  );
  const held = cleanup.move();
  return {
    firing: async () => {
      const { data } = Alerts.parse(await ask('alerts'));
      return new Set(
        data.alerts.filter(({ state }) => state === 'firing').flatMap(({ labels }) => labels.alertname ?? []),
      );
    },
    query: (query) => ask(`query?${new URLSearchParams({ query })}`),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
