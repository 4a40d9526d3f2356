import type { HarborClient } from '../../client/harbor-client.ts';
import { DebugEvent } from '../../contract/debugging.ts';
import type { LiveDeployment } from '../../contract/harbor.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { DebugPorts } from './debug-ports.ts';

const NAMES = { python: 'Python (debugpy)', node: 'Node (inspector)' } as const;

/**
 * Keeps the debuggers of a deployment open, and forwards ports to them, until aborted or another debugger takes
 * over.
 */
export async function openDebuggers(
  client: HarborClient,
  { deployment_id }: LiveDeployment,
  ports: DebugPorts,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const params = { deployment_id };
  for await (const { data } of await client.debugging.debug({ params, body: {} }, { signal })) {
    const event = DebugEvent.safeParse(data);
    if (!event.success) continue;
    if (event.data.type === 'problem') {
      terminal.note(event.data.message);
      continue;
    }
    const { process_id, language, address } = event.data;
    const tell = (body: { state: 'attached' | 'running' } | { state: 'paused'; at: object }) =>
      // A process may have ended since.
      client.debugging.tellDebugged({ params: { ...params, process_id }, body }, { signal }).catch(() => {});
    let told = Promise.resolve<unknown>(undefined);
    const place = ports.pointTo(language, address, (isPaused) => {
      told = told.then(() => tell(isPaused ? { state: 'paused', at: {} } : { state: 'running' }));
    });
    if (place !== undefined) terminal.line(`Attach a ${NAMES[language]} debugger to ${place}.`);
    // Graphs do not wait for a debugger to attach.
    await tell({ state: 'attached' });
  }
  if (!signal.aborted) terminal.note('Another debugger is attached to these graphs now.');
}
