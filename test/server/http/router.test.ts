import assert from 'node:assert/strict';
import { z } from 'zod';
import { endpoint } from '../../../src/contract/endpoint.ts';
import { Router } from '../../../src/server/http/router.ts';

const shared = { kind: 'json', summary: '', credentials: 'none', responses: { 200: z.string() } } as const;
const table = {
  list: endpoint({ ...shared, method: 'GET', path: '/items' }),
  search: endpoint({ ...shared, method: 'POST', path: '/items/search' }),
  get: endpoint({ ...shared, method: 'GET', path: '/items/{item_id}' }),
  part: endpoint({ ...shared, method: 'GET', path: '/items/{item_id}/parts/{part_id}' }),
  kept: endpoint({ ...shared, method: 'GET', path: '/kept', hasOneSpelling: true }),
};
const named = (name: string) => () => name;
const router = new Router().mount(
  table,
  {
    list: named('list'),
    search: named('search'),
    get: named('get'),
    part: named('part'),
    kept: named('kept'),
  },
  ['', '/api/v1'],
);
const find = (method: string, url: string) => {
  const found = router.find(method, url);
  if (found === undefined) return undefined;
  const name = Object.entries(table).find(([, declared]) => declared === found.route.endpoint)?.[0];
  return { name, params: found.params, query: { ...found.query } };
};

describe('the router', () => {
  it('finds an endpoint under each of its prefixes, with its parameters decoded', () => {
    assert.deepEqual(find('GET', '/items'), { name: 'list', params: {}, query: {} });
    const part = { name: 'part', params: { item_id: 'a b', part_id: '1/2' }, query: {} };
    assert.deepEqual(find('GET', '/items/a%20b/parts/1%2F2'), part);
    assert.deepEqual(find('GET', '/api/v1/items/a%20b/parts/1%2F2'), part);
  });

  it('prefers literal segments to parameters, for the same method', () => {
    assert.equal(find('POST', '/items/search')?.name, 'search');
    assert.deepEqual(find('GET', '/items/search')?.params, { item_id: 'search' });
  });

  it('treats repeated slashes as one, and ignores one at the end', () => {
    assert.equal(find('GET', '/items/')?.name, 'list');
    assert.equal(find('GET', '//items//1///parts/2/')?.name, 'part');
    assert.equal(find('GET', '/items//')?.name, 'list');
  });

  it('finds endpoints that a proxy hides from the outside only by their exact path', () => {
    assert.equal(find('GET', '/kept')?.name, 'kept');
    assert.equal(find('GET', '/kept?a=/b/')?.name, 'kept');
    for (const other of [
      '//kept',
      '/kept/',
      '/kept//?a',
      '/kept#a',
      '/KEPT',
      '/%6bept',
      '/./kept',
      'http://a/kept',
    ])
      assert.equal(find('GET', other), undefined, other);
  });

  it('parses a query with repeated names', () => {
    assert.deepEqual(find('GET', '/items?a=1&b=x%20y&b=z+z&c')?.query, { a: '1', b: ['x y', 'z z'], c: '' });
    assert.deepEqual(find('GET', '/items/1?a=/2')?.params, { item_id: '1' });
    assert.equal(find('GET', 'http://127.0.0.1:2024/items?a')?.name, 'list');
  });

  it('finds no path that is not valid text, or with a too long parameter', () => {
    assert.equal(find('GET', '/items/%E0%A4%A'), undefined);
    assert.equal(find('GET', `/items/${'x'.repeat(513)}`), undefined);
    assert.equal(find('GET', `/items/${'x'.repeat(512)}`)?.name, 'get');
    assert.equal(find('GET', '/'), undefined);
    assert.equal(find('GET', '/Items'), undefined);
    assert.equal(find('TRACE', '/items'), undefined);
    assert.equal(find('GET', '/items/__proto__')?.name, 'get');
    assert.equal(find('GET', '/__proto__'), undefined);
  });

  it('returns the methods of a path', () => {
    assert.deepEqual(router.allowedMethods('/items/search'), ['GET', 'POST']);
    assert.deepEqual(router.allowedMethods('/nothing'), []);
    assert.deepEqual(router.allowedMethods('/items/%E0%A4%A'), []);
  });
});
