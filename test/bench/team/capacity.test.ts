import assert from 'node:assert/strict';
import { type Cluster, type Costs, hasConnections, partsOf } from '../../../bench/team/capacity/cluster.ts';
import { simulateCluster } from '../../../bench/team/capacity/simulate-cluster.ts';
import { type Job, Simulation, Station } from '../../../bench/team/capacity/simulation.ts';

const COSTS: Costs = {
  run: {
    main: 4,
    threads: 1,
    graph: 2,
    postgres: 5,
    heard: 0.1,
    units: 3,
    commitMs: 1,
    walKb: 15,
    tableKb: 10,
  },
  trace: undefined,
  idle: { main: 10, postgres: 5 },
};
const CLUSTER: Cluster = {
  servers: 4,
  serverCores: 2,
  postgresCores: 4,
  maxConnections: 100,
  walMbPerSecond: 200,
};

describe('the simulation of a team', () => {
  it('queues jobs for free places, in order of arrival', () => {
    const simulation = new Simulation();
    const station = new Station(1);
    const ended: string[] = [];
    function* job(name: string): Job {
      yield { take: station };
      yield { passMs: 10 };
      yield { give: station };
      ended.push(`${name} ${simulation.nowMs}`);
    }
    simulation.begin(job('first'));
    simulation.begin(job('second'), 5);
    simulation.begin(job('third'), 25);
    simulation.runUntil(50);
    assert.deepEqual(ended, ['first 10', 'second 20', 'third 35']);
    assert.equal(simulation.useOf(station), 0.6);
  });

  it('names the part that is saturated first, and the next one when the first is enlarged', () => {
    const [first, next] = partsOf(COSTS, CLUSTER);
    assert.deepEqual([first?.name, Math.round(first?.limit ?? 0)], ['processors of PostgreSQL', 796]);
    assert.equal(next?.name, 'main threads of servers');
    const [then] = partsOf(COSTS, { ...CLUSTER, postgresCores: 16 });
    assert.deepEqual(then, next);
    const trace = { spans: 10, writer: 0.1, postgres: 0.1 };
    assert.deepEqual(partsOf({ ...COSTS, trace }, { ...CLUSTER, postgresCores: 16 })[0], {
      name: 'writer of traces',
      limit: 500,
    });
    assert.ok(hasConnections(CLUSTER) && !hasConnections({ ...CLUSTER, servers: 6 }));
  });

  it('keeps up below that rate, but not above it', () => {
    const limit = partsOf(COSTS, CLUSTER)[0]?.limit ?? 0;
    const below = simulateCluster(COSTS, CLUSTER, { perSecond: 0.7 * limit }, { seconds: 20 });
    const above = simulateCluster(COSTS, CLUSTER, { perSecond: 1.3 * limit }, { seconds: 20 });
    assert.ok(Math.abs(below.rate / (0.7 * limit) - 1) < 0.05, `${below.rate} of ${0.7 * limit}`);
    assert.ok(above.rate < 1.05 * limit, `${above.rate} of ${limit}`);
    assert.equal(above.use[0]?.name, 'processors of PostgreSQL');
    assert.ok((above.tookMs.at(-1) ?? 0) > 10 * (below.tookMs.at(-1) ?? 0));
  });

  it('makes one client wait for all parts in turn, and many clients for the processor that they share', () => {
    const idle = { main: 0, postgres: 0 };
    const simulate = (clients: number) =>
      simulateCluster(
        { ...COSTS, idle },
        { ...CLUSTER, servers: 1 },
        { clients, clientMs: 1 },
        { seconds: 60, machineCores: 1 },
      );
    const { tookMs } = simulate(1);
    const mean = tookMs.reduce((sum, took) => sum + took, 0) / tookMs.length;
    assert.ok(Math.abs(mean - (4 + 1 + 2 + 5 + 3 * 1)) < 0.5, String(mean));
    const { rate } = simulate(16);
    assert.ok(Math.abs(rate / (1000 / (4 + 1 + 2 + 5 + 1)) - 1) < 0.05, String(rate));
  });
});
