import assert from 'node:assert/strict';
import { segment, urlSegment } from '../../../src/extension/documents/address-segments.ts';

describe('a name in the address of a document', () => {
  it('stays one part of the path, also with characters that would end it', () => {
    for (const name of ['my#agent', 'who?', '50%', '%23', 'a/b', 'größe']) {
      const [, part = ''] = new URL(`agent-harbor://schema/${urlSegment(name)}/graph.json`).pathname.split(
        '/',
      );
      assert.equal(decodeURIComponent(part), segment(name));
    }
  });
});
