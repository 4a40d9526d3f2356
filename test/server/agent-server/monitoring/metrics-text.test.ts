import assert from 'node:assert/strict';
import { type Measured, toPrometheus } from '../../../../src/server/agent-server/monitoring/metrics-text.ts';

describe('metrics as text', () => {
  const of = (name: string, active: number): Measured => ({
    labels: { deployment: name, deployment_id: '1' },
    numbers: {
      workers: { max: 10, active },
      queue: { pending: 2, running: active, ages: [1, 7.5] },
      ended: { success: 3, error: 1 },
      webhooksWaiting: 0,
    },
  });
  const ofProcess = { memory: { rss: 1, heapUsed: 1 }, uptimeSeconds: 5 };

  it('have one header for the samples of all deployments, and what Prometheus would misread of a name quoted', () => {
    const text = toPrometheus([of('a "b" \\ c\nd', 4), of('other', 0)], ofProcess, 12);
    const lines = text.split('\n');
    const headers = lines.filter((line) => line.startsWith('# TYPE'));
    assert.equal(new Set(headers).size, headers.length);
    const name = String.raw`a \"b\" \\ c\nd`;
    for (const line of [
      `lg_api_workers_available{deployment="${name}",deployment_id="1"} 6`,
      'lg_api_workers_available{deployment="other",deployment_id="1"} 10',
      'lg_api_pending_runs_wait_time_max{deployment="other",deployment_id="1"} 7.5',
      'harbor_runs_ended_total{deployment="other",deployment_id="1",status="error"} 1',
      'process_uptime_seconds 5',
      'harbor_database_oldest_snapshot_transactions 12',
    ])
      assert.ok(lines.includes(line), `${line} is not in\n${text}`);
  });
});
