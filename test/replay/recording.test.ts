import assert from 'node:assert/strict';
import type { RecordedRequest } from '../../src/contract/agent-server/exchanges.ts';
import { canonicalRequest, hashRequest } from '../../src/replay/canonical-request.ts';
import { compareRequests } from '../../src/replay/compare-requests.ts';
import { Recording } from '../../src/replay/recording.ts';

function post(body: string, url = 'http://models.test/v1/chat/completions'): RecordedRequest {
  return {
    method: 'post',
    url,
    headers: [['content-type', 'application/json']],
    body: { encoding: 'utf8', data: body },
  };
}

function hashOf(request: RecordedRequest): string {
  return hashRequest(canonicalRequest(request));
}

describe('a recorded request', () => {
  it('is the same with its fields and parameters in another order, with other headers and another key', () => {
    const one = post('{"a":1,"b":[{"c":2,"d":"x ******"}]}', 'http://m.test/p?x=1&key=*****');
    const other = post('{"b":[{"d":"x *********","c":2}],"a":1}', 'http://m.test/p?key=********&x=1');
    assert.equal(hashOf(one), hashOf({ ...other, headers: [['user-agent', 'other']] }));
  });

  it('is different when a word of its prompt, its address or the order of its messages changes', () => {
    const hashes = [
      post('{"messages":["a","b"]}'),
      post('{"messages":["b","a"]}'),
      post('{"messages":["a","c"]}'),
      post('{"messages":["a","b"]}', 'http://models.test/v2'),
    ].map(hashOf);
    assert.equal(new Set(hashes).size, 4);
  });

  it('names its differences from another one by their paths', () => {
    assert.deepEqual(compareRequests(post('{"m":[{"c":"old"}],"gone":1}'), post('{"m":[{"c":"new"}]}')), [
      { at: 'body.gone', recorded: 1, now: undefined },
      { at: 'body.m[0].c', recorded: 'old', now: 'new' },
    ]);
  });
});

describe('a recording', () => {
  const place = (node: string, task: string) => ({ node, task });
  const entries = [
    { ordinal: 0, place: place('a', '1'), hash: 'x' },
    { ordinal: 1, place: place('a', '2'), hash: 'x' },
    { ordinal: 2, place: place('b', '1'), hash: 'x' },
    { ordinal: 3, place: place('b', '1'), hash: 'x' },
    { ordinal: 4, place: place('b', '1'), hash: 'y' },
  ];

  it('tells equal requests of parallel tasks apart, in whatever order they come', () => {
    const recording = new Recording(entries);
    const taken = [place('b', '1'), place('a', '2'), place('b', '1'), place('a', '1')].map(
      (at) => recording.take({ place: at, hash: 'x' })?.ordinal,
    );
    assert.deepEqual(taken, [2, 1, 3, 0]);
    assert.equal(recording.take({ place: place('a', '1'), hash: 'x' }), undefined);
    assert.ok(recording.isSpent('x'));
    assert.deepEqual(
      recording.unused.map(({ ordinal }) => ordinal),
      [4],
    );
  });

  it('lists the requests of the same task first among those that a changed request may have been', () => {
    const recording = new Recording(entries);
    const ordinals = recording.candidates({ place: place('a', '2') }).map(({ ordinal }) => ordinal);
    assert.deepEqual(ordinals, [1, 0, 2, 3, 4]);
  });
});
