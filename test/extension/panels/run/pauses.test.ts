import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { LiveDeployment } from '../../../../src/contract/harbor.ts';
import type { JournalEntry } from '../../../../src/extension/panels/run/journal-entry.ts';
import { Pauses } from '../../../../src/extension/panels/run/pauses.ts';

const CONFIG = '/agents/langgraph.json';

describe('the pauses of a run panel', () => {
  let now = 0;
  let told: JournalEntry[];
  let live: LiveDeployment | undefined;
  let change: () => void;
  const deployments = {
    liveOf: (path: string) => (path === CONFIG ? live : undefined),
    onDidChange: (listener: () => void) => {
      change = listener;
      return { dispose: () => {} };
    },
  };
  const hold = (line: number | undefined) => {
    const paused = line === undefined ? {} : { paused: { file: '/agents/agent.ts', line } };
    live = {
      deployment_id: '01900000-0000-7000-8000-000000000000',
      name: 'agents',
      config_path: CONFIG,
      deployment_url: 'http://127.0.0.1:2024',
      runtime: { state: 'stopped' },
      debugging: paused,
    };
    change();
  };

  beforeEach(() => {
    now = 1_000;
    told = [];
    live = undefined;
    mock.method(performance, 'now', () => now);
  });
  afterEach(() => mock.restoreAll());

  it('are reported once, with where the process is paused and when it resumes', () => {
    const pauses = new Pauses(deployments, CONFIG, { add: (entry) => told.push(entry) });
    hold(42);
    hold(42);
    hold(undefined);
    const at = { file: '/agents/agent.ts', line: 42 };
    assert.deepEqual(told, [
      { type: 'paused', at },
      { type: 'paused', at: undefined },
    ]);
    pauses.dispose();
  });

  it('do not count in the time that a run takes', () => {
    const pauses = new Pauses(deployments, CONFIG, { add: () => {} });
    const startedAt = pauses.now();
    now += 100;
    hold(42);
    now += 60_000;
    assert.equal(pauses.now() - startedAt, 100);
    assert.equal(pauses.heldMs(), 60_000);
    hold(43);
    now += 60_000;
    hold(undefined);
    now += 20;
    assert.equal(pauses.now() - startedAt, 120);
    assert.equal(pauses.heldMs(), 120_000);
    pauses.dispose();
  });
});
