import assert from 'node:assert/strict';
import { withEvents } from '../../../src/server/tracing/otlp/run-events.ts';

describe('events that are added to a run of OpenTelemetry', () => {
  it('leave events of other shapes in place, in the order of their times', () => {
    const early = { name: 'start', time: '2026-11-29T09:00:00.000000' };
    const late = { name: 'end', time: '2026-11-29T09:00:02.000000' };
    const added = { name: 'x', time: '2026-11-29T09:00:01.000000', kwargs: {} };
    assert.deepEqual(withEvents({ events: [early, late] }, [added]), { events: [early, added, late] });
    assert.equal(withEvents({ events: [early, added, late] }, [added]), undefined);
  });
});
