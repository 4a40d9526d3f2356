import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { load, loadAll } from 'js-yaml';
import { z } from 'zod';
import { KNOWN_VARIABLES } from '../../scripts/server-variables.ts';
import { platform } from '../../src/contract/platform.ts';
import {
  agentServerTables,
  controlPlaneTables,
  platformTables,
  tracingTables,
} from '../../src/contract/tables.ts';
import { toPrometheus } from '../../src/server/agent-server/monitoring/metrics-text.ts';
import { RunTimes } from '../../src/server/agent-server/monitoring/run-times.ts';
import { readArguments } from '../../src/server/server-arguments.ts';
import { projectRoot } from '../support/cache.ts';
import { problemsOfCompose, problemsOfKubernetes, validatorOf } from '../support/manifest-validators.ts';
import { withPython } from '../support/python-environments.ts';

const folder = path.join(projectRoot, 'examples', 'platform');
const read = (name: string) => readFile(path.join(folder, name), 'utf8');
const SIZES = ['small', 'company'] as const;

/** The contents of the secrets, by the suffix of their names. */
const SECRETS: Readonly<Record<string, string>> = {
  AGENT_HARBOR_API_KEY: 'a-key-of-sixteen-and-more',
  AGENT_HARBOR_PREVIOUS_API_KEY: 'the-key-of-before-this-one',
  AGENT_HARBOR_DATABASE: 'postgres://harbor:secret@db.example.com/harbor',
  AGENT_HARBOR_DATABASE_REPLICA: 'postgres://harbor:secret@standby.example.com/harbor',
  AGENT_HARBOR_SECRETS_KEY: 'ab'.repeat(32),
  AGENT_HARBOR_NEW_SECRETS_KEY: 'cd'.repeat(32),
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'secret',
};

const Named = z.looseObject({ kind: z.string(), metadata: z.looseObject({ name: z.string() }) });
const Get = z.object({ httpGet: z.object({ path: z.string(), port: z.literal('http') }) });
const Deployment = z.object({
  kind: z.literal('Deployment'),
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    template: z.object({
      metadata: z.object({ labels: z.record(z.string(), z.string()) }),
      spec: z.object({
        terminationGracePeriodSeconds: z.int(),
        containers: z.tuple([
          z.object({
            ports: z.tuple([z.object({ name: z.literal('http'), containerPort: z.int() })]),
            env: z.array(z.object({ name: z.string(), value: z.string().optional() })),
            startupProbe: Get,
            readinessProbe: Get,
            livenessProbe: Get,
            volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
          }),
        ]),
        volumes: z.array(z.looseObject({ name: z.string() })),
      }),
    }),
  }),
});
const Ingress = z.object({
  kind: z.literal('Ingress'),
  spec: z.object({
    rules: z.array(
      z.object({
        http: z.object({
          paths: z.array(
            z.object({
              path: z.string(),
              pathType: z.literal('Prefix'),
              backend: z.object({ service: z.object({ name: z.string() }) }),
            }),
          ),
        }),
      }),
    ),
  }),
});
const Service = z.object({
  kind: z.literal('Service'),
  metadata: z.object({ name: z.string() }),
  spec: z.object({ selector: z.record(z.string(), z.string()) }),
});
const ScaledObject = z.object({
  kind: z.literal('ScaledObject'),
  spec: z.object({
    scaleTargetRef: z.object({ name: z.string() }),
    triggers: z.tuple([z.object({ metadata: z.object({ query: z.string(), threshold: z.string() }) })]),
  }),
});
const PrometheusRule = z.object({ kind: z.literal('PrometheusRule'), spec: z.unknown() });
const Added = z.object({
  services: z.object({
    server: z.object({ environment: z.record(z.string(), z.string()), secrets: z.tuple([z.string()]) }),
  }),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});
const Values = z.record(z.string(), z.unknown());
const Compose = z.object({
  services: z.object({
    server: z.object({
      environment: z.record(z.string(), z.string()),
      secrets: z.array(z.string()),
      stop_grace_period: z.string(),
    }),
  }),
});

type Manifests = Awaited<ReturnType<typeof manifestsOf>>;

async function manifestsOf(size: (typeof SIZES)[number]) {
  const all = loadAll(await read(`kubernetes-${size}.yaml`)).filter((one) => one !== null);
  const every = <Kind extends z.ZodType>(schema: Kind) =>
    all.map((one) => schema.safeParse(one)).flatMap(({ data }) => (data === undefined ? [] : [data]));
  return { kinds: all.map((one) => Named.parse(one).kind), every };
}

/**
 * The settings that a server reads from an environment that names secret files or refers to secrets, with stand-ins for
 * their values.
 */
function withSecrets(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(environment).map(([name, value]): [string, string] => {
    const secret = name.replace(/_FILE$/, '');
    return [secret, value === undefined || secret !== name ? (SECRETS[secret] ?? '') : value];
  });
  return Object.fromEntries(entries);
}

/** Reads the settings as a server in the image would, and asserts that it knows all of them. */
function readServer(args: readonly string[], environment: Readonly<Record<string, string | undefined>>) {
  const unknown = Object.keys(environment).filter((name) => !KNOWN_VARIABLES.has(name));
  assert.deepEqual(unknown, []);
  const server = readArguments(['--data-dir', '/data', '--team', ...args], withSecrets(environment));
  assert.ok(server !== 'help' && server.team !== undefined);
  return { ...server, team: server.team };
}

/** All paths of endpoints with example parameters, below the roots at which they are mounted. */
function pathsOf(tables: readonly object[], roots: readonly string[]): string[] {
  const endpoints = tables.flatMap((table) => Object.values(table) as { path: string }[]);
  return roots.flatMap((root) => endpoints.map(({ path: one }) => root + one.replaceAll(/\{\w+\}/g, 'x')));
}

const { workspaceSecrets, ...others } = controlPlaneTables;
const { identity: _, ...traced } = tracingTables;
const AGENT_PATHS = [
  ...pathsOf(Object.values(others), ['']),
  ...pathsOf([workspaceSecrets], ['', '/api/v1']),
  ...pathsOf([others.deployments, others.revisions, others.logs, others.oauthFlows], ['/api-host']),
  ...pathsOf(Object.values(agentServerTables), ['/d/x']),
];
const TRACE_PATHS = [
  ...pathsOf([...Object.values(traced), platformTables.info, platformTables.otlp], ['', '/api/v1', '/api']),
];

/** Asserts which servers get the requests of all endpoints according to a proxy's rules. */
function assertRoutes(isForAgents: (path: string) => boolean) {
  assert.ok(AGENT_PATHS.length > 100 && TRACE_PATHS.length > 200);
  assert.deepEqual(
    AGENT_PATHS.filter((one) => !isForAgents(one)),
    [],
  );
  assert.deepEqual(TRACE_PATHS.filter(isForAgents), []);
}

describe('the files to run a platform with', () => {
  for (const size of SIZES) {
    describe(`for Kubernetes, ${size}`, () => {
      let manifests: Manifests;
      before(async () => {
        manifests = await manifestsOf(size);
      });

      it('give servers only settings that they know, and time to hand over their runs', () => {
        const roles = manifests.every(Deployment).flatMap(({ spec, metadata }) => {
          const { containers, terminationGracePeriodSeconds, volumes } = spec.template.spec;
          const [{ env, ports, volumeMounts }] = containers;
          const server = readServer([], Object.fromEntries(env.map(({ name, value }) => [name, value])));
          assert.equal(server.team.port, ports[0].containerPort);
          assert.ok(terminationGracePeriodSeconds > 5 + server.drainSeconds + 5, metadata.name);
          assert.deepEqual(
            volumeMounts.map(({ name }) => name),
            volumes.map(({ name }) => name),
          );
          for (const { name, value } of env.filter((one) => one.name.endsWith('_FILE')))
            assert.ok(
              volumeMounts.some(({ mountPath }) => value?.startsWith(`${mountPath}/`)),
              name,
            );
          return [...server.team.roles];
        });
        assert.deepEqual([...new Set(roles)].toSorted(), ['api', 'builds', 'runs', 'traces']);
      });

      it('request only paths that servers answer', () => {
        const asked = manifests
          .every(Deployment)
          .flatMap(({ spec }) => spec.template.spec.containers)
          .flatMap(({ startupProbe, readinessProbe, livenessProbe }) =>
            [startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => httpGet.path),
          );
        assert.deepEqual(new Set(asked), new Set([platform.ok.path, platform.ready.path]));
      });

      it('route requests to servers that have the role for them', () => {
        const [ingress] = manifests.every(Ingress);
        const paths = ingress?.spec.rules[0]?.http.paths ?? [];
        const backendOf = (asked: string) =>
          paths
            .filter(
              ({ path: prefix }) => prefix === '/' || asked === prefix || asked.startsWith(`${prefix}/`),
            )
            .toSorted((one, other) => other.path.length - one.path.length)[0]?.backend.service.name;
        assertRoutes((asked) => backendOf(asked) === 'harbor-agents');
        const pods = manifests.every(Deployment).map(({ spec }) => spec.template);
        const services = manifests.every(Service);
        assert.deepEqual(services.map(({ metadata }) => metadata.name).toSorted(), [
          'harbor-agents',
          'harbor-traces',
        ]);
        for (const { metadata, spec } of services) {
          const role = metadata.name === 'harbor-agents' ? 'api' : 'traces';
          const reached = pods.filter(({ metadata: { labels } }) =>
            Object.entries(spec.selector).every(([name, value]) => labels[name] === value),
          );
          assert.ok(reached.length > 0);
          for (const { spec: pod } of reached) {
            const roles = pod.containers[0].env.find(({ name }) => name === 'AGENT_HARBOR_ROLES')?.value;
            assert.ok(roles?.split(',').includes(role), `${metadata.name} reaches ${roles}`);
          }
        }
      });

      it('are valid', async function () {
        this.timeout(180_000);
        const file = path.join(folder, `kubernetes-${size}.yaml`);
        const problems = await withPython(this, () => problemsOfKubernetes(file));
        // Resources of others, whose schemas are not Kubernetes' own.
        const unknown = /^WARN .* find schema for kind (?:PodMonitor|PrometheusRule|ScaledObject) .*\n/gm;
        assert.equal(problems.replaceAll(unknown, ''), '');
        const of = (kind: string) => manifests.kinds.filter((one) => one === kind).length;
        assert.equal(of('PodDisruptionBudget'), of('Deployment'));
        assert.equal(of('NetworkPolicy'), 1);
      });
    });
  }

  it('refuse values of the chart that it does not have', async () => {
    const problemsOf = await validatorOf(Values.parse(JSON.parse(await read('chart/values.schema.json'))));
    const values = Values.parse(load(await read('chart/values.yaml')));
    for (const size of SIZES) {
      const own = Values.parse(load(await read(`chart/values-${size}.yaml`)));
      assert.equal(problemsOf({ ...values, ...own }), undefined);
    }
    for (const [name, value] of Object.entries(values)) {
      const misspelled = { ...values, [`${name}s`]: value };
      assert.match(JSON.stringify(problemsOf(misspelled)), /additionalProperties/);
      if (typeof value !== 'object' || value === null || Array.isArray(value) || name === 'servers') continue;
      const wrong = { ...values, [name]: { ...value, misspelled: true } };
      if (name !== 'variables') assert.ok(problemsOf(wrong) !== undefined, name);
    }
  });

  it('know the variable of each secret of the chart', async () => {
    const [, secrets = ''] =
      /define "harbor.secrets" -}}\n(.*?){{- end }}\n\n/s.exec(await read('chart/templates/_helpers.tpl')) ??
      [];
    const names = [...secrets.matchAll(/^(\w+): /gm)].map(([, name = '']) => name);
    assert.deepEqual(names.toSorted(), Object.keys(SECRETS).toSorted());
    assert.deepEqual(
      names.filter((name) => !KNOWN_VARIABLES.has(name)),
      [],
    );
  });

  it('have the alert rules of examples/team, and those of a company pass them on to Prometheus', async () => {
    const rules = await readFile(path.join(projectRoot, 'examples', 'team', 'alerts.yaml'), 'utf8');
    assert.equal(await read('chart/alerts.yaml'), rules);
    const [rule] = (await manifestsOf('company')).every(PrometheusRule);
    assert.deepEqual(rule?.spec, load(rules));
    assert.deepEqual((await manifestsOf('small')).every(PrometheusRule), []);
  });

  it('scale servers that run graphs by a metric that they have, before their slots are taken', async () => {
    const { every } = await manifestsOf('company');
    const [scaled] = every(ScaledObject);
    assert.equal(scaled?.spec.scaleTargetRef.name, 'harbor-runs');
    const [{ metadata }] = scaled?.spec.triggers ?? assert.fail();
    const numbers = {
      workers: { max: 10, active: 0 },
      queue: { pending: 0, running: 0, ages: [] },
      ended: {},
      times: new RunTimes(),
      isPaused: false,
      webhooksWaiting: 0,
    };
    const known = toPrometheus([{ labels: { deployment: 'a', deployment_id: 'b' }, numbers }], []);
    const asked = metadata.query.match(/lg_api_\w+/g) ?? [];
    assert.equal(asked.length, 2);
    for (const name of asked) assert.match(known, new RegExp(`^${name}\\{.*deployment_id=`, 'm'));
    const server = readArguments(['--data-dir', '/data'], {});
    assert.ok(server !== 'help' && Number(metadata.threshold) < server.jobsPerRuntime);
  });

  it('have the same proxy rules for machines', async () => {
    const rules = [...(await read('haproxy.cfg')).matchAll(/^ *acl of-agents path_beg (.*)$/gm)];
    const beginnings = rules.flatMap(([, list = '']) => list.split(' '));
    assertRoutes((asked) => beginnings.some((beginning) => asked.startsWith(beginning)));
  });

  it('include a compose file that gives servers only settings that they know', async () => {
    const text = (await read('compose.yaml')).replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');
    const document = load(text);
    assert.equal(await problemsOfCompose(document), undefined);
    const { environment, secrets, stop_grace_period } = Compose.parse(document).services.server;
    const { drainSeconds, team } = readServer([], environment);
    assert.ok(Number.parseInt(stop_grace_period, 10) > drainSeconds + 5);
    assert.equal(team.objects, '/objects');
    const files = Object.entries(environment).filter(([name]) => name.endsWith('_FILE'));
    assert.deepEqual(files.map(([, file]) => path.posix.basename(file)).toSorted(), secrets.toSorted());
  });

  it('give servers of the compose file a second key while one changes', async () => {
    const second = {
      'team-key': ['AGENT_HARBOR_PREVIOUS_API_KEY', 'previousApiKey'],
      'secrets-key': ['AGENT_HARBOR_NEW_SECRETS_KEY', 'newSecretsKey'],
    } as const;
    const text = (await read('compose.yaml')).replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');
    const { services } = Compose.parse(load(text));
    for (const [name, [variable, option]] of Object.entries(second)) {
      const document = load(await read(`compose.${name}.yaml`));
      assert.equal(await problemsOfCompose(document), undefined);
      const added = Added.parse(document);
      const { environment, secrets } = added.services.server;
      assert.deepEqual(Object.keys(environment), [`${variable}_FILE`]);
      assert.deepEqual(Object.values(environment), [`/run/secrets/${secrets[0]}`]);
      assert.deepEqual(Object.keys(added.secrets), secrets);
      const { team } = readServer([], { ...services.server.environment, ...environment });
      assert.ok(team[option] !== undefined, option);
    }
  });

  it('include a systemd unit that starts a server with the variables beside it', async () => {
    const unit = await read('systemd/agent-harbor-platform.service');
    const [, command = ''] = /^ExecStart=\/usr\/bin\/node \S+\/server\.js (.*)$/m.exec(unit) ?? [];
    const lines = (await read('systemd/platform.env')).split('\n').filter((line) => /^\w+=/.test(line));
    const environment = Object.fromEntries(
      lines.map((line) => {
        const [name = '', value = ''] = line.split(/=(.*)/s);
        return [name, value === '' ? (SECRETS[name] ?? '') : value];
      }),
    );
    const server = readServer(command.split(' '), environment);
    assert.ok(server.team.previousApiKey !== undefined && server.team.newSecretsKey !== undefined);
    const second = { AGENT_HARBOR_PREVIOUS_API_KEY: '', AGENT_HARBOR_NEW_SECRETS_KEY: '' };
    const before = readArguments(['--data-dir', '/data', '--team'], { ...environment, ...second });
    assert.ok(before !== 'help' && before.team !== undefined);
    assert.deepEqual([before.team.previousApiKey, before.team.newSecretsKey], [undefined, undefined]);
    const [, stop] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? [];
    assert.ok(Number(stop) > server.drainSeconds + 15);
  });
});
