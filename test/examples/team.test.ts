import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { load, loadAll } from 'js-yaml';
import { z } from 'zod';
import { readImageAgent } from '../../src/server/image-agent.ts';
import { readArguments } from '../../src/server/server-arguments.ts';
import { projectRoot } from '../support/cache.ts';
import { serverProcess } from '../support/control-plane/server-process.ts';
import { parseQuery, problemsOfCompose, problemsOfKubernetes } from '../support/manifest-validators.ts';
import { requirePostgres } from '../support/postgres.ts';
import { graphProject } from '../support/projects.ts';
import { withPython } from '../support/python-environments.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { unusedPort } from '../support/unused-port.ts';
import { eventually } from '../support/wait.ts';

const folder = path.join(projectRoot, 'examples', 'team');
const read = (name: string) => readFile(path.join(folder, name), 'utf8');

/** The variables that are set when compose.yaml and kubernetes.yaml are used. */
const GIVEN: Readonly<Record<string, string>> = {
  AGENT_IMAGE: 'research:1.0',
  AGENT_HARBOR_API_KEY: 'a-key-of-sixteen-and-more',
  POSTGRES_PASSWORD: 'secret',
};
const SECRETS: Readonly<Record<string, string>> = {
  'api-key': 'a-key-of-sixteen-and-more',
  database: 'postgres://harbor:secret@db.example.com/harbor',
};

const PROJECT = {
  'langgraph.json': JSON.stringify({ graphs: { agent: './graph.mjs:graph' } }),
  'graph.mjs': `
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
export const graph = new StateGraph(MessagesAnnotation).addNode('say', () => ({})).addEdge(START, 'say').compile();
`,
};

const Compose = z.object({
  services: z.object({
    agent: z.object({ environment: z.record(z.string(), z.string()), stop_grace_period: z.string() }),
  }),
});
const Probe = z.object({ httpGet: z.object({ path: z.string(), port: z.literal('http') }) });
const Deployment = z.object({
  kind: z.literal('Deployment'),
  spec: z.object({
    template: z.object({
      metadata: z.object({ annotations: z.record(z.string(), z.string()) }),
      spec: z.object({
        terminationGracePeriodSeconds: z.int(),
        containers: z.tuple([
          z.object({
            env: z.array(
              z.object({
                name: z.string(),
                value: z.string().optional(),
                valueFrom: z.object({ secretKeyRef: z.object({ key: z.string() }) }).optional(),
              }),
            ),
            startupProbe: Probe,
            readinessProbe: Probe,
            livenessProbe: Probe,
          }),
        ]),
      }),
    }),
  }),
});
const Dashboard = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) })),
  templating: z.object({
    list: z.array(z.object({ query: z.union([z.string(), z.object({ query: z.string() })]) })),
  }),
});

/** Replaces variables as compose does: `${NAME}`, `${NAME:-default}` and `${NAME:?what to do}`. */
function interpolate(text: string): string {
  return text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind?: string, rest = '') => {
    const value = GIVEN[name] ?? (kind === '-' ? rest : undefined);
    assert.ok(value !== undefined, `${name} is not set`);
    return value;
  });
}

async function readCompose() {
  const document = load(interpolate(await read('compose.yaml')));
  return { document, agent: Compose.parse(document).services.agent };
}

async function readDeployment() {
  const { template } = Deployment.parse(loadAll(await read('kubernetes.yaml'))[0]).spec;
  const [container] = template.spec.containers;
  const environment = Object.fromEntries(
    container.env.map(({ name, value, valueFrom }) => [
      name,
      value ?? SECRETS[valueFrom?.secretKeyRef.key ?? ''] ?? '',
    ]),
  );
  return { template, container, environment };
}

describe("the example files for a team's servers", function () {
  this.timeout(180_000);

  it('are a valid compose file', async () => {
    const { document } = await readCompose();
    assert.equal(await problemsOfCompose(document), undefined);
    const text = await read('compose.yaml');
    const wrong = load(interpolate(text.replace('stop_grace_period', 'stop_period')));
    assert.match(JSON.stringify(await problemsOfCompose(wrong)), /stop_period/);
  });

  it('are valid resources of Kubernetes', async function () {
    const file = path.join(folder, 'kubernetes.yaml');
    assert.equal(await withPython(this, () => problemsOfKubernetes(file)), '');
    await using scratch = await temporaryFolder();
    const wrong = path.join(scratch.path, 'wrong.yaml');
    await writeFile(wrong, (await read('kubernetes.yaml')).replace('periodSeconds', 'period'));
    assert.match(await problemsOfKubernetes(wrong), /startupProbe.*period/);
  });

  it('give servers only settings that they know, and time to hand over their runs', async () => {
    const { agent } = await readCompose();
    const { environment, template } = await readDeployment();
    const graceSeconds = [
      Number.parseInt(agent.stop_grace_period, 10),
      template.spec.terminationGracePeriodSeconds,
    ];
    for (const [index, given] of [agent.environment, environment].entries()) {
      const read = readImageAgent('/app/langgraph.json', given);
      assert.deepEqual(read.environment, {});
      assert.equal(read.port, 8000);
      assert.match(read.database ?? '', /^postgres:\/\/harbor:secret@/);
      const server = readArguments(['--data-dir', '/data'], given);
      assert.ok(server !== 'help' && (graceSeconds[index] ?? 0) > server.drainSeconds + 5);
    }
  });

  it('request only paths that a server answers, and show only metrics that it has', async function () {
    await using postgres = await requirePostgres(this);
    this.timeout(180_000);
    await using project = await graphProject({ line: 'langgraph-1.7', empty: true, files: PROJECT });
    const { container, template, environment } = await readDeployment();
    const port = await unusedPort();
    await using server = await serverProcess({
      args: ['--agent', path.join(project.folder, 'langgraph.json')],
      env: { ...environment, AGENT_HARBOR_DATABASE: await postgres.createDatabase(), PORT: String(port) },
    });
    const ask = async (place: string) => await fetch(`http://127.0.0.1:${port}${place}`);
    const proxied = /uri (\/\S+)/.exec(await read('haproxy.cfg'))?.[1] ?? '';
    const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe];
    for (const place of [proxied, ...probes.map(({ httpGet }) => httpGet.path)])
      await eventually(
        `${place} answers`,
        async () => {
          const answer = await ask(place);
          return `${answer.status} ${await answer.text()}`;
        },
        (answer) => answer.startsWith('200 '),
        60_000,
      );
    const metrics = await (await ask(template.metadata.annotations['prometheus.io/path'] ?? '')).text();
    const samples = metrics.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    assert.ok(samples.length > 5, metrics);

    const { panels, templating } = Dashboard.parse(JSON.parse(await read('grafana-dashboard.json')));
    const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    const ofVariables = templating.list.flatMap(({ query }) =>
      typeof query === 'string'
        ? []
        : [/^label_values\((.*), (?:job|deployment)\)$/.exec(query.query)?.[1] ?? ''],
    );
    assert.ok(queries.length >= 8 && ofVariables.length === 2);
    const alerts = Rules.parse(load(await read('alerts.yaml'))).groups.flatMap(({ rules }) => rules);
    assert.ok(alerts.length >= 15);
    for (const query of [...queries, ...ofVariables, ...alerts.map(({ expr }) => expr)]) {
      // Variables of Grafana, which puts a duration, jobs and deployments there.
      const filled = query
        .replaceAll('$__rate_interval', '5m')
        .replaceAll('$job', '.*')
        .replaceAll('$deployment', '.*');
      const parts = await parseQuery(filled);
      const selectors = parts.filter(({ kind }) => kind === 'VectorSelector').map(({ text }) => text);
      assert.ok(selectors.length > 0, query);
      for (const selector of selectors) {
        const [, name = '', statuses] = /^(\w+)(?:.*status=~"([^"]+)")?/.exec(selector) ?? [];
        // Prometheus' own.
        if (name === 'up') continue;
        if (!samples.some((sample) => sample.startsWith(`${name}{`) || sample.startsWith(`${name} `))) {
          const family = name.replace(/_(?:bucket|count|sum)$/, '');
          // A metric for which nothing has been measured yet, or that only a server has that builds, or has an object
          // store, a replica or a limit in bytes.
          assert.ok(
            metrics.includes(`# TYPE ${family} histogram`) || LATER.has(name),
            `${name} of ${query} is not among\n${metrics}`,
          );
          continue;
        }
        for (const status of statuses?.split('|') ?? [undefined]) {
          const start = status === undefined ? name : `${name}{status="${status}"}`;
          assert.ok(
            samples.some((sample) => sample.startsWith(start) && /^[{ ]/.test(sample.slice(name.length))),
            `${start} of ${query} is not among\n${metrics}`,
          );
        }
      }
    }
    const ofPlatform = await scrape(server.baseUrl, 'agent-harbor-platform', server.apiKey);
    const ofAgent = await scrape(`http://127.0.0.1:${port}`, 'research');
    assert.match(ofAgent, /^lg_api_workers_max 10$/m);
    assert.match(ofPlatform, /^lg_api_workers_max\{deployment="research",deployment_id="[\w-]+"\} 10$/m);
    // The same metrics, so that one dashboard is for both.
    const named = (text: string) => text.split('\n').filter((line) => line.startsWith('# TYPE'));
    assert.deepEqual(named(ofPlatform), named(ofAgent));
    await server.stop();
  });
});

/** Metrics that servers have once a query of traces was answered. */
const LATER: ReadonlySet<string> = new Set([
  'harbor_purges_unfinished',
  'harbor_purges_oldest_seconds',
  'harbor_replica_up',
  'harbor_replica_reads_total',
  'harbor_workspace_measurements_total',
]);

const Rules = z.strictObject({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({ alert: z.string(), expr: z.string(), annotations: z.object({ action: z.string() }) }),
      ),
    }),
  ),
});

const Scrapes = z.strictObject({
  scrape_configs: z.array(
    z.strictObject({
      job_name: z.string(),
      metrics_path: z.string(),
      authorization: z.strictObject({ credentials_file: z.string() }).optional(),
      static_configs: z.array(z.strictObject({ targets: z.array(z.string()) })),
    }),
  ),
});

/**
 * Requests metrics as Prometheus does with prometheus.yaml: with the contents of the credentials file as the
 * bearer token.
 */
async function scrape(url: string, job: string, key?: string): Promise<string> {
  const { scrape_configs } = Scrapes.parse(load(await read('prometheus.yaml')));
  const { metrics_path, authorization } =
    scrape_configs.find(({ job_name }) => job_name === job) ?? assert.fail(job);
  assert.equal(authorization !== undefined, key !== undefined);
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}${metrics_path}`, { headers });
  assert.equal(answer.status, 200, await answer.clone().text());
  assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  return answer.text();
}
