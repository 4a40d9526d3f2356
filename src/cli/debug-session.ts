import type { Client } from '../client/client.ts';
import { DebugEvent } from '../contract/debugging.ts';
import type { LiveDeployment } from '../contract/harbor.ts';
import type { DebugPorts } from './debug-ports.ts';
import type { Terminal } from './terminal.ts';

const NAMES = { python: 'Python (debugpy)', node: 'Node (inspector)' } as const;

/** Keeps the debuggers of a deployment open, and leads ports to them, until aborted or another debugger takes over. */
export async function openDebuggers(
  client: Client,
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
    const place = ports.lead(language, address);
    if (place !== undefined) terminal.line(`Attach a ${NAMES[language]} debugger to ${place}.`);
    // Whoever attaches does so later: the graphs do not wait for that.
    await client.debugging
      .tellDebugged({ params: { ...params, process_id }, body: { state: 'attached' } }, { signal })
      .catch(() => {});
  }
  if (!signal.aborted) terminal.note('Another debugger is attached to these graphs now.');
}
