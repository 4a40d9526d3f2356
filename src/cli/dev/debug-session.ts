import type { HarborClient } from '../../client/harbor-client.ts';
import { DebugEvent } from '../../contract/debugging.ts';
import type { LiveDeployment } from '../../contract/harbor.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { DebugPorts } from './debug-ports.ts';

const NAMES = { python: 'Python (debugpy)', node: 'Node (inspector)' } as const;

/**
 * Opens the debuggers of a deployment and forwards ports to them, until aborted or until another client
 * debugs it.
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
    // A newer server may send events that this version does not know.
    const event = DebugEvent.safeParse(data);
    if (!event.success) continue;
    if (event.data.type === 'problem') {
      terminal.note(event.data.message);
      continue;
    }
    const { process_id, language, address } = event.data;
    const report = (body: { state: 'attached' | 'running' } | { state: 'paused'; at: object }) =>
      // The process may have ended in the meantime.
      client.debugging.tellDebugged({ params: { ...params, process_id }, body }, { signal }).catch(() => {});
    /**
     * Settles when all reports so far have been sent. Each waits for the one before, so that they arrive in
     * order.
     */
    let reported = Promise.resolve<unknown>(undefined);
    const place = ports.pointTo(language, address, (isPaused) => {
      reported = reported.then(() => report(isPaused ? { state: 'paused', at: {} } : { state: 'running' }));
    });
    if (place !== undefined) terminal.line(`Attach a ${NAMES[language]} debugger to ${place}.`);
    // A debugger is reported as attached before there is one, so that the graphs do not wait for it.
    await report({ state: 'attached' });
  }
  if (!signal.aborted) terminal.note('Another debugger is attached to these graphs now.');
}
