import assert from 'node:assert/strict';
import { type Measured, toPrometheus } from '../../../../src/server/agent-server/monitoring/metrics-text.ts';
import { RunTimes } from '../../../../src/server/agent-server/monitoring/run-times.ts';
import { gauge } from '../../../../src/server/metric-text.ts';

describe('metrics as text', () => {
  const timesOf = (name: string) => {
    const times = new RunTimes();
    times.durations.observe(name === 'other' ? 0.5 : 7000, { status: 'success' });
    return times;
  };
  const of = (name: string, active: number): Measured => ({
    labels: { deployment: name, deployment_id: '1' },
    numbers: {
      workers: { max: 10, active },
      queue: { pending: 2, running: active, ages: [1, 7.5] },
      ended: { success: 3, error: 1 },
      isPaused: false,
      times: timesOf(name),
      webhooksWaiting: 0,
    },
  });
  const ofServer = [gauge('harbor_servers', 'Servers.', 12)];

  it('have one header for the samples of all deployments, and escape names that Prometheus would misread', () => {
    const text = toPrometheus([of('a "b" \\ c\nd', 4), of('other', 0)], ofServer);
    const lines = text.split('\n');
    const headers = lines.filter((line) => line.startsWith('# TYPE'));
    assert.equal(new Set(headers).size, headers.length);
    const name = String.raw`a \"b\" \\ c\nd`;
    for (const line of [
      `lg_api_workers_available{deployment="${name}",deployment_id="1"} 6`,
      'lg_api_workers_available{deployment="other",deployment_id="1"} 10',
      'lg_api_pending_runs_wait_time_max{deployment="other",deployment_id="1"} 7.5',
      'harbor_runs_ended_total{deployment="other",deployment_id="1",status="error"} 1',
      'harbor_servers 12',
      `harbor_run_duration_seconds_bucket{deployment="${name}",deployment_id="1",status="success",le="3600"} 0`,
      `harbor_run_duration_seconds_bucket{deployment="${name}",deployment_id="1",status="success",le="+Inf"} 1`,
      `harbor_run_duration_seconds_sum{deployment="${name}",deployment_id="1",status="success"} 7000`,
      'harbor_run_duration_seconds_bucket{deployment="other",deployment_id="1",status="success",le="0.1"} 0',
      'harbor_run_duration_seconds_bucket{deployment="other",deployment_id="1",status="success",le="0.5"} 1',
      'harbor_run_duration_seconds_count{deployment="other",deployment_id="1",status="success"} 1',
    ])
      assert.ok(lines.includes(line), `${line} is not in\n${text}`);
  });
});
