import assert from 'node:assert/strict';
import { LogBook } from '../../../../src/server/runtimes/output/log-book.ts';
import { runtimeEnvironment } from '../../../../src/server/runtimes/process/runtime-environment.ts';
import type { Project } from '../../../../src/server/runtimes/project/project.ts';

const TARGET = { endpoint: 'http://127.0.0.1:1', apiKey: 'key', project: 'agents' };

const project = (env: Project['env']): Project => ({
  configPath: '/agents/langgraph.json',
  dir: '/agents',
  name: 'agents',
  config: { graphs: {} },
  graphs: {},
  languages: new Set(),
  envFile: undefined,
  env,
  missingEnv: undefined,
  isIsolated: false,
});

describe('AGENT_HARBOR_TRACING', () => {
  const start = (value: string) => {
    const log = new LogBook();
    const environment = runtimeEnvironment(project({ AGENT_HARBOR_TRACING: value }), TARGET, log, {});
    return { endpoint: environment.LANGSMITH_ENDPOINT, lines: log.lines.map(({ message }) => message) };
  };

  it('with an unknown value is reported, and traces stay on this server', () => {
    assert.deepEqual(start('false'), {
      endpoint: TARGET.endpoint,
      lines: [
        "AGENT_HARBOR_TRACING must be local, cloud or off, not 'false'. Traces are stored on this server.",
      ],
    });
  });

  it('with a known value is not', () => {
    for (const value of ['local', ''])
      assert.deepEqual(start(value), { endpoint: TARGET.endpoint, lines: [] });
    assert.deepEqual(start('off'), {
      endpoint: undefined,
      lines: ['Runs are not traced, because AGENT_HARBOR_TRACING is off.'],
    });
  });
});
