import { LINK_PACKAGES, linkedProject } from '../../test/support/control-plane/example-files.ts';
import { gitRepository } from '../../test/support/control-plane/git-repository.ts';
import { serverProcess } from '../../test/support/control-plane/server-process.ts';
import { clientsOf } from '../../test/support/control-plane/steady-clients.ts';
import type { Line } from '../tracing/report.ts';
import { deploy } from './deployed.ts';

const CLIENTS = 16;
const ROLL_OUTS = 5;

/** Counts requests that fail while revisions take over from each other. */
export async function rollOut(): Promise<Line[]> {
  await using server = await serverProcess();
  await using repository = await gitRepository();
  await repository.push(await linkedProject('0'));
  const deployed = await deploy(server, {
    name: 'rolling',
    url: repository.url,
    installCommand: LINK_PACKAGES,
  });
  await using clients = clientsOf(deployed.sdk, CLIENTS);
  for (let count = 1; count <= ROLL_OUTS; count++) {
    await repository.push(await linkedProject(String(count)));
    await deployed.redeploy();
  }
  const { answers, failures } = await clients.stop();
  return [
    {
      question: `requests of ${CLIENTS} clients during ${ROLL_OUTS} roll-outs`,
      result: String(answers.length + failures.length),
    },
    { question: 'of those, failed', result: String(failures.length), target: '0' },
  ];
}
