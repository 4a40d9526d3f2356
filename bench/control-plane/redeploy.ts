import path from 'node:path';
import { exampleFiles } from '../../test/support/control-plane/example-files.ts';
import { gitRepository } from '../../test/support/control-plane/git-repository.ts';
import { serverProcess } from '../../test/support/control-plane/server-process.ts';
import { type Line, ms, p50 } from '../tracing/report.ts';
import { deploy } from './deployed.ts';
import { importing, timed, times } from './timed.ts';

const ROUNDS = 3;

/**
 * Deploys the example again, unchanged and with only its code changed, and compares this with the same steps
 * by hand.
 */
export async function redeploy(): Promise<Line[]> {
  await using server = await serverProcess();
  await using repository = await gitRepository();
  await repository.push(await exampleFiles('examples/docs-agent'));
  const began = performance.now();
  const deployed = await deploy(server, { name: 'example', url: repository.url });
  const first = performance.now() - began;
  const unchanged = p50(await times(ROUNDS, deployed.redeploy));
  let count = 0;
  const changed = p50(
    await times(ROUNDS, async () => {
      await repository.push({ 'src/changed.ts': `export const changed = ${count++};\n` });
      return deployed.redeploy();
    }),
  );
  const npm = p50(
    await times(ROUNDS, () => timed('npm', ['ci', '--no-audit', '--no-fund'], repository.workDir)),
  );
  const start = p50(
    await times(ROUNDS, () => importing(path.join(repository.workDir, 'src/graph.ts'), repository.workDir)),
  );
  return [
    { question: 'the example, first deployment', result: ms(first) },
    {
      question: 'again, nothing changed',
      result: ms(unchanged),
      target: `${(unchanged / start).toFixed(2)} × start`,
    },
    { question: 'again, code changed, lockfile not', result: ms(changed) },
    { question: '`npm ci` alone, its cache warm', result: ms(npm) },
    { question: 'a bare process that imports the graph', result: ms(start) },
  ];
}
