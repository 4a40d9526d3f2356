import assert from 'node:assert/strict';
import { eachPage } from '../../src/client/each-page.ts';

const ITEMS = Array.from({ length: 250 }, (_, n) => ({ id: `${n}` }));

type Asked = { readonly limit: number; readonly offset: number };

/** Reads a list, and records what was asked for. */
async function read(
  options: { readonly from?: number; readonly limit?: number },
  answer: (page: Asked) => readonly { readonly id: string }[],
) {
  const asked: Asked[] = [];
  const ids: string[] = [];
  const pages = eachPage({ ...options, idOf: ({ id }: { readonly id: string }) => id }, async (page) => {
    asked.push(page);
    assert.ok(asked.length < 10, 'it ends');
    return answer(page);
  });
  for await (const page of pages) ids.push(...page.map(({ id }) => id));
  return { asked, ids };
}

describe('a list that is read page by page', () => {
  const part = ({ limit, offset }: Asked) => ITEMS.slice(offset, offset + limit);

  it('is read until a page is not full', async () => {
    const { asked, ids } = await read({}, part);
    assert.deepEqual(
      asked.map(({ offset }) => offset),
      [0, 100, 200],
    );
    assert.deepEqual(
      ids,
      ITEMS.map(({ id }) => id),
    );
  });

  it('is read from an offset on, up to a limit', async () => {
    const { asked, ids } = await read({ from: 20, limit: 110 }, part);
    assert.deepEqual(asked, [
      { limit: 100, offset: 20 },
      { limit: 10, offset: 120 },
    ]);
    assert.deepEqual([ids.length, ids[0], ids.at(-1)], [110, '20', '129']);
  });

  it('ends on a platform that ignores the offset, with each item once', async () => {
    const { asked, ids } = await read({}, ({ limit }) => ITEMS.slice(0, limit));
    assert.deepEqual([asked.length, ids.length], [2, 100]);
  });

  it('ends on a platform that ignores the offset, also when a new item comes first', async () => {
    const rows = [{ id: 'b' }, { id: 'a' }];
    const read = async () => {
      const page = [...rows];
      if (rows.length === 2) rows.unshift({ id: 'c' });
      return page.slice(0, 2);
    };
    const pages: string[][] = [];
    for await (const page of eachPage({ idOf: ({ id }: { readonly id: string }) => id, pageSize: 2 }, read))
      pages.push(page.map(({ id }) => id));
    assert.deepEqual(pages, [
      ['b', 'a'],
      ['c', 'b'],
    ]);
  });

  it('is whole on a platform that always sends everything, but never over the limit', async () => {
    assert.equal((await read({}, () => ITEMS)).ids.length, 250);
    assert.equal((await read({ limit: 120 }, () => ITEMS)).ids.length, 120);
  });

  it('ends with the error of a later page', async () => {
    const failing = ({ offset }: Asked) => {
      if (offset > 0) throw new Error('The platform is overloaded.');
      return ITEMS.slice(0, 100);
    };
    await assert.rejects(read({}, failing), /overloaded/);
  });
});
