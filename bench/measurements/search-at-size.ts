import { type Measurement, onlyServers } from '../harness/measurement.ts';
import { Row } from '../harness/row.ts';
import { hasThreads } from '../harness/subject.ts';

const sizes = [1_000, 10_000, 100_000];
/** The peer keeps everything in memory and writes all of it at once, so more threads would take minutes. */
const MAX_PEER_SIZE = 10_000;
const clients = 16;
const searches = 100;

/** Searches for ten threads among a growing number of them. */
export const searchAtSize: Measurement = {
  name: 'search-at-size',
  takes: onlyServers(20, 8),
  run: async (bench) => {
    const rows = sizes.map(
      (size) =>
        new Row({
          title: `search of 10 among ${size.toLocaleString('en')} threads`,
          unit: 'ms',
          target: { bound: 'at most', value: 2 },
        }),
    );
    await bench.eachSubject(async (prepared) => {
      const { name } = prepared.subject;
      if (!hasThreads(name)) return;
      const target = await bench.start(prepared);
      try {
        let made = 0;
        for (const [at, size] of sizes.entries()) {
          if (name === 'peer' && size > MAX_PEER_SIZE) break;
          const make = async () => {
            while (made++ < size) await target.client.createThread();
          };
          await Promise.all(Array.from({ length: clients }, make));
          for (let search = 0; search < searches; search++) {
            const { ms } = await target.client.post('/threads/search', { limit: 10 });
            rows[at]?.add(name, ms);
          }
        }
      } finally {
        await target.stop();
      }
    });
    return rows;
  },
};
