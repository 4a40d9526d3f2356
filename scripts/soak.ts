/** Kills servers and runtimes a thousand times (or as often as said) and reports: `npm run soak [kills] [seed]`. */
import { campaign } from '../test/faults/campaign.ts';

const [kills = '1000', given] = process.argv.slice(2);
const seed = Number(given ?? Math.floor(Math.random() * 2 ** 31));
const started = performance.now();
console.log(`seed ${seed}`);
const report = await campaign(Number(kills), seed, (line) => console.log(line));
console.log(
  JSON.stringify({ ...report, seed, minutes: Math.round((performance.now() - started) / 6_000) / 10 }),
);
process.exit();
