import { type Postgres, requirePostgres } from '../../support/postgres.ts';
import { testLimits } from '../../support/workspace-limits.ts';

describe('the limits of a workspace of a team', function () {
  this.timeout(90_000);
  let postgres: Postgres;
  after(() => postgres?.[Symbol.asyncDispose]());
  testLimits(async (suite) => {
    postgres = await requirePostgres(suite);
    return postgres.createDatabase();
  });
});
