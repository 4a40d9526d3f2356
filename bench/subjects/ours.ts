import { access, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { patience } from '../../test/support/wait.ts';
import type { Child } from '../harness/children.ts';
import { graphProject } from '../harness/graph-project.ts';
import { whenAnswering } from '../harness/server.ts';
import type { Subject, SubjectName } from '../harness/subject.ts';

const root = path.resolve(import.meta.dirname, '../..');
/** The peer and the floors create no traces either. */
const untraced = { AGENT_HARBOR_TRACING: 'off' };

const readyTimeoutMs = 30_000 * patience;

/** The one line that `agent-harbor dev --json` prints when it is ready. */
const readySchema = z.object({ deployment_url: z.url(), pid: z.int().positive() });

/** Agent Harbor as `agent-harbor dev` starts it, with its own data folder; the only subject here that is traced. */
export const oursTraced: Subject = subject('ours-traced', root, {});

/** The same without traces. */
export const ours: Subject = subject('ours', root, untraced);

/** Another checkout of this project, built there, without traces. */
export function before(checkout: string): Subject {
  return subject('before', checkout, untraced);
}

function subject(name: SubjectName, checkout: string, env: Readonly<Record<string, string>>): Subject {
  const cli = path.join(checkout, 'dist', 'cli.js');
  return {
    name,
    prepare: async () => {
      await access(cli).catch(() => {
        throw new Error(`${path.relative(root, cli)} is missing; run \`npm run build\` there first`);
      });
      return graphProject();
    },
    start: async (project, { port, children }) => {
      const data = await mkdtemp(path.join(tmpdir(), 'bench-data-'));
      const config = path.join(project, 'langgraph.json');
      const args = [cli, 'dev', '--config', config, '--port', String(port), '--data-dir', data, '--json'];
      const child = await children.start({ name, args, cwd: project, env, leaves: [data] });
      const running = await whenAnswering(child, port);
      try {
        const { deployment_url: url, pid } = await ready(child);
        child.adopt(pid);
        return { ...running, url };
      } catch (error) {
        await running.stop();
        throw error;
      }
    },
  };
}

/** Waits for the ready line; the server may answer a little before it is printed. */
async function ready(child: Child): Promise<z.infer<typeof readySchema>> {
  const deadline = Date.now() + readyTimeoutMs;
  for (;;) {
    const [line, rest] = (await child.output('stdout')).split('\n', 2);
    if (line && rest !== undefined) return readySchema.parse(JSON.parse(line));
    if (child.exited || Date.now() > deadline) throw new Error('agent-harbor dev printed no ready line');
    await sleep(5);
  }
}
