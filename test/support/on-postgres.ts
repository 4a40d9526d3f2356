import { sharedPostgres } from './postgres.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { traceObjectsAt } from './trace-objects.ts';
import { keepTracesIn } from './traces-database.ts';

/**
 * When mocha requires this file, tests keep their traces in PostgreSQL, and large payloads in a folder of objects: `npx
 * mocha --require ./test/support/on-postgres.ts 'test/server/tracing/*.test.ts'`.
 */
let folder: Awaited<ReturnType<typeof temporaryFolder>> | undefined;

export const mochaHooks = {
  async beforeAll(this: Mocha.Context): Promise<void> {
    this.timeout(180_000);
    folder = await temporaryFolder();
    keepTracesIn(await sharedPostgres(), (await traceObjectsAt(folder.path)).open);
  },
  async afterAll(): Promise<void> {
    keepTracesIn(undefined);
    await folder?.[Symbol.asyncDispose]();
  },
};
