import assert from 'node:assert/strict';
import { LogStore } from '../../../../src/server/control-plane/data/log-store.ts';
import { makeLogger } from '../../../../src/server/logger.ts';
import { DEPLOYMENT, deploymentDatabase } from '../../../support/deployment-database.ts';

describe('the log of a deployment', function () {
  this.timeout(60_000);

  it('stays below its limit while another deployment writes few lines', async () => {
    await using fixture = await deploymentDatabase();
    const { db } = fixture;
    const row = await db
      .selectFrom('deployments')
      .selectAll()
      .where('id', '=', DEPLOYMENT)
      .executeTakeFirstOrThrow();
    const quiet = 'a quiet deployment';
    await db
      .insertInto('deployments')
      .values({ ...row, id: quiet, name: quiet })
      .execute();
    const logs = new LogStore(db, makeLogger({ level: 'silent' }));
    const write = async (deploymentId: string, lines: number) => {
      for (let line = 0; line < lines; line++)
        logs.write({ deploymentId, revisionId: 'r', stream: 'deploy' }, 'INFO', String(line));
      await logs.flush();
    };
    for (let round = 0; round < 12; round++) {
      await write(DEPLOYMENT, 4_999);
      await write(quiet, 1);
    }
    const { count } = await db
      .selectFrom('deployment_logs')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('deployment_id', '=', DEPLOYMENT)
      .executeTakeFirstOrThrow();
    assert.ok(count <= 55_000, `${count} lines`);
  });
});
