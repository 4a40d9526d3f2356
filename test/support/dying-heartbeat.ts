/** The heartbeat's thread, which dies soon after its server has joined the others. */
import '../../src/server/team/postgres/heartbeat/main.ts';

setTimeout(() => {
  throw new Error('The thread has died.');
}, 500);
