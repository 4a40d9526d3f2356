/**
 * Deletes the data of a thread, and is killed after a number of units of writes: `node killed-deletion.ts
 * <data folder> <thread> <units>`.
 */
import { deleteContents } from '../../../../../src/server/agent-server/data/delete-in-slices.ts';
import { openStateDatabase } from '../../../../../src/server/storage/sqlite-state.ts';

const [folder = '', thread = '', units = '1'] = process.argv.slice(2);
const db = await openStateDatabase(folder);
const commit = db.commit.bind(db);
let left = Number(units);
db.commit = async (write, subject) => {
  await commit(write, subject);
  if (--left === 0) process.kill(process.pid, 'SIGKILL');
};
await deleteContents(db, thread);
await db.destroy();
