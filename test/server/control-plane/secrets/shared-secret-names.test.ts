import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { SecretNames } from '../../../../src/server/control-plane/secrets/secret-names.ts';
import { SecretStore } from '../../../../src/server/control-plane/secrets/secret-store.ts';
import { Identity } from '../../../../src/server/identity/identity.ts';
import type { PostgresState } from '../../../../src/server/team/postgres/postgres-state.ts';
import { openSharedBox } from '../../../../src/server/team/shared-box.ts';
import { DEPLOYMENT, deploymentDatabase } from '../../../support/deployment-database.ts';
import { ANY_KEY } from '../../../support/keys.ts';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { openTeamState } from '../../../support/team-state.ts';
import { eventually } from '../../../support/wait.ts';

describe('the names of secrets that a server hides in spans', function () {
  this.timeout(60_000);
  let postgres: Postgres;
  let made: Awaited<ReturnType<typeof deploymentDatabase>>;
  let elsewhere: PostgresState;
  let keyId: string;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    const url = await postgres.createDatabase();
    made = await deploymentDatabase({ postgres: url });
    elsewhere = await openTeamState(url);
    const identity = new Identity(made.db);
    const { organizationId, workspaceId } = await identity.findDefaultWorkspace();
    const key = await identity.createKey({
      organizationId,
      workspaceIds: [workspaceId],
      name: 'its own',
      grant: { rights: ['trace'], deploymentId: DEPLOYMENT },
    });
    const { by } = await identity.authenticate({ 'x-api-key': key }, ANY_KEY);
    assert.ok('keyId' in by);
    keyId = by.keyId;
  });
  afterEach(async () => {
    await elsewhere.destroy();
    await made[Symbol.asyncDispose]();
  });

  for (const how of ['when it hears of them', 'when every hint is lost']) {
    it(`are those that another server has stored, ${how}`, async () => {
      if (how !== 'when it hears of them') Object.assign(made.db.bus, { hear: () => {} });
      const names = new SecretNames(made.db);
      assert.deepEqual(await names.findForKey(keyId), []);
      const box = await openSharedBox(randomBytes(32), elsewhere);
      const secrets = new SecretStore(elsewhere, box, new SecretNames(elsewhere));
      const set = await secrets.store(elsewhere, DEPLOYMENT, { LANGSMITH_TOKEN: 'x' });
      // A server reads the secrets when it starts serving the deployment.
      await secrets.read(set);
      await eventually(
        'they are known',
        () => names.findForKey(keyId),
        (known) => known.includes('LANGSMITH_TOKEN'),
      );
    });
  }

  it('are looked up again when they could not be', async () => {
    const names = new SecretNames(made.db);
    await sql`alter table secret_sets rename to away`.execute(elsewhere);
    await assert.rejects(names.findForKey(keyId), /secret_sets/);
    await sql`alter table away rename to secret_sets`.execute(elsewhere);
    assert.deepEqual(await names.findForKey(keyId), []);
  });
});
