import assert from 'node:assert/strict';
import { Timestamp } from '../../src/contract/fields.ts';

describe('timestamps in requests', () => {
  it('are in UTC if they have no offset', () => {
    for (const [given, meant] of [
      ['2026-01-02T03:04:05', '2026-01-02T03:04:05Z'],
      ['2026-01-02T03:04', '2026-01-02T03:04Z'],
      ['2026-01-02T03:04:05.678901', '2026-01-02T03:04:05.678901Z'],
      ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
      ['2026-01-02T03:04:05-05:00', '2026-01-02T03:04:05-05:00'],
    ] as const) {
      assert.equal(Timestamp.parse(given), meant);
    }
  });
});
