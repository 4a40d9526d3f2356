import assert from 'node:assert/strict';
import { AssistantStore } from '../../../../src/server/agent-server/data/assistant-store.ts';
import { assistantRow, DEPLOYMENT, deploymentDatabase } from '../../../support/deployment-database.ts';
import { WorkCounter, type WorkCounts } from '../../../support/work-counts.ts';

const ROW = { ...assistantRow('one_node'), name: 'One' };

describe('an assistant that runs request', () => {
  /** The number of times that the table is read meanwhile. */
  async function countReads(work: () => Promise<unknown>): Promise<number> {
    const counter = new WorkCounter();
    counter.start();
    let statements: WorkCounts['statements'] = {};
    try {
      await work();
    } finally {
      ({ statements } = counter.stop());
    }
    const isRead = (sql: string) => /^select .* from "assistants"/.test(sql);
    return Object.entries(statements).reduce((sum, [sql, { times }]) => sum + (isRead(sql) ? times : 0), 0);
  }

  it('is read once, and again after it has been changed or deleted', async () => {
    await using made = await deploymentDatabase();
    const { db } = made;
    const store = new AssistantStore(db, DEPLOYMENT);
    const find = () => store.find(ROW.assistant_id);
    assert.equal(await find(), undefined);
    await db.commit((unit) => store.insert(unit, ROW));
    const reads = await countReads(async () => {
      for (let run = 0; run < 3; run++) assert.deepEqual({ ...(await find()) }, ROW);
    });
    assert.equal(reads, 1);
    await db.commit((unit) => store.activate(unit, 1, { ...fieldsOf(ROW), version: 2, name: 'Two' }));
    assert.equal((await find())?.name, 'Two');
    await db.commit((unit) => store.delete(unit, ROW.assistant_id));
    assert.equal(await find(), undefined);
  });

  it('is not cached if it was changed while it was read', async () => {
    await using made = await deploymentDatabase();
    const { db } = made;
    const store = new AssistantStore(db, DEPLOYMENT);
    await db.commit((unit) => store.insert(unit, ROW));
    const before = store.find(ROW.assistant_id);
    const change = db.commit((unit) =>
      store.activate(unit, 1, { ...fieldsOf(ROW), version: 2, name: 'Two' }),
    );
    assert.equal((await before)?.name, 'One');
    await change;
    assert.equal((await store.find(ROW.assistant_id))?.name, 'Two');
  });

  it('is read each time when it is large', async () => {
    await using made = await deploymentDatabase();
    const { db } = made;
    const store = new AssistantStore(db, DEPLOYMENT);
    const row = { ...ROW, config: JSON.stringify({ text: 'x'.repeat(20_000) }) };
    await db.commit((unit) => store.insert(unit, row));
    const reads = await countReads(async () => {
      for (let run = 0; run < 3; run++) assert.deepEqual({ ...(await store.find(ROW.assistant_id)) }, row);
    });
    assert.equal(reads, 3);
  });
});

function fieldsOf({ deployment_id, created_at, updated_at, ...fields }: typeof ROW) {
  return fields;
}
