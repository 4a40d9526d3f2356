import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { serverProcess } from '../support/control-plane/server-process.ts';
import { OtlpLoad } from './otlp-load.ts';
import { random } from './random.ts';

/** `npm run soak` sets more. */
const SECONDS = Number(process.env.OTLP_SECONDS ?? 20);
const SEED = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));
const RUNS_AT_ONCE = 30;
const MAX_RUN_MS = 20 * 60_000;
/** The last acknowledged span is shown by then. */
const LAST_WAIT_MS = SECONDS < 300 ? 0 : 210_000;

describe(`traces of OpenTelemetry across restarts of the server (seed ${SEED})`, function () {
  this.timeout(SECONDS * 1_000 + LAST_WAIT_MS + 600_000);

  it(`lose no acknowledged span, and are as they were sent, in ${SECONDS} s`, async () => {
    await using server = await serverProcess();
    const draw = random(SEED);
    const load = new OtlpLoad(
      {
        fetch: (route, { headers, ...init } = {}) =>
          fetch(`${server.baseUrl}${route}`, {
            ...init,
            headers: { 'x-api-key': server.apiKey, ...headers },
          } as RequestInit),
      },
      draw,
    );
    const until = Date.now() + SECONDS * 1_000;
    const left = () => until - Date.now();
    const restarts = { killed: 0, told: 0 };
    let checks = 0;

    async function agents(): Promise<void> {
      while (left() > 2_000) {
        const longest = Math.min(MAX_RUN_MS, left() - 1_000);
        // The lengths are distributed so that as many runs take one to ten seconds as two to twenty minutes.
        await load.trace(Math.round(1_000 * (longest / 1_000) ** (draw(1000) / 1000)));
      }
    }

    async function restarting(): Promise<void> {
      for (;;) {
        const pause = SECONDS < 300 ? 4_000 + draw(4_000) : 90_000 + draw(240_000);
        if (left() < pause + 5_000) return;
        await delay(pause);
        checks += await load.checkUnderWay();
        const isKilled = draw(2) === 0;
        if (isKilled) await server.kill();
        else await server.stop();
        restarts[isKilled ? 'killed' : 'told']++;
        await delay(draw(3_000));
        await server.start();
        console.log(
          `      ${Math.round(SECONDS - left() / 1_000)} s: ${load.runs.length} runs, ${load.acknowledged} spans acknowledged, ` +
            `${load.sentAgain} sent again, ${load.failedRequests} requests failed, ${JSON.stringify(restarts)}, ${checks} checks under way`,
        );
      }
    }

    await Promise.all([...Array.from({ length: RUNS_AT_ONCE }, agents), restarting()]);
    await delay(LAST_WAIT_MS);
    await load.check();
    assert.ok(load.acknowledged > load.runs.length);
    const longest = Math.max(...load.runs.map(({ lengthMs }) => lengthMs));
    console.log(
      `      ${load.runs.length} runs of up to ${Math.round(longest / 1_000)} s: ${load.acknowledged} spans acknowledged, ` +
        `${load.sentAgain} sent again, ${load.failedRequests} requests failed, ${JSON.stringify(restarts)}`,
    );
  });
});
