import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { longFiles } from '../../../scripts/rings/parts.ts';
import { filesOf, LONG, RINGS, root, TEAM } from '../../../scripts/rings/rings.ts';

/** The patterns that a pattern with alternatives in braces stands for. */
function alternativesOf(pattern: string): readonly string[] {
  const braces = /^(.*?)\{([^}]*)\}(.*)$/.exec(pattern);
  if (braces === null) return [pattern];
  const [, before = '', inside = '', after = ''] = braces;
  return inside.split(',').flatMap((one) => alternativesOf(before + one + after));
}

const unmatched = (patterns: readonly string[]) =>
  patterns.flatMap(alternativesOf).filter((pattern) => globSync(pattern, { cwd: root }).length === 0);

describe('a path in the lists of the test rings', () => {
  it('matches a file, also with each of the alternatives in its braces', () => {
    assert.deepEqual(unmatched(['test/scripts/{rings,nowhere}/*.test.ts']), [
      'test/scripts/nowhere/*.test.ts',
    ]);
    const ofRings = RINGS.flatMap((ring) => (ring.kind === 'mocha' ? [ring.files].flat() : []));
    assert.deepEqual(unmatched([...TEAM, ...LONG, ...ofRings]), []);
  });

  it('is of a file of its ring if it has a duration', () => {
    const stale = Object.entries(longFiles()).flatMap(([name, files]) => {
      const ring = RINGS.find((one) => one.name === name);
      const known = new Set(ring?.kind === 'mocha' ? filesOf(ring, true) : []);
      return Object.keys(files).filter((file) => !known.has(file));
    });
    assert.deepEqual(stale, []);
  });
});
