import { openPostgres, type Postgres } from './postgres.ts';
import { keepTracesIn } from './traces-database.ts';

/**
 * Required by mocha, it has tests keep their traces in PostgreSQL:
 * `npx mocha --require ./test/support/on-postgres.ts 'test/server/tracing/*.test.ts'`.
 */
let postgres: Postgres | undefined;

export const mochaHooks = {
  async beforeAll(this: Mocha.Context): Promise<void> {
    this.timeout(180_000);
    postgres = await openPostgres();
    keepTracesIn(postgres);
  },
  async afterAll(): Promise<void> {
    keepTracesIn(undefined);
    await postgres?.[Symbol.asyncDispose]();
  },
};
