import { type EventStream, frame } from '../../http/event-stream.ts';
import type { RunStream } from '../runs/run-stream.ts';

/** The stream modes that a reader wants; undefined or empty for all. */
type WantedModes = readonly string[] | undefined;

/**
 * Sends a run's events to a reader, as fast as it reads, until the run has ended or the reader has
 * disconnected.
 * @param options.after the number of the last event that the reader has; 0 for none.
 */
export async function followRun(
  run: RunStream,
  reader: EventStream,
  options: { after: number; modes?: WantedModes; namespaces?: readonly string[] | undefined },
): Promise<void> {
  const gone = new AbortController();
  void reader.closed.then(() => gone.abort());
  const isWanted = matchEvents(options.modes, options.namespaces);
  for await (const batch of run.read(options.after, gone.signal)) {
    const frames = batch
      .filter(({ event }) => isWanted(event))
      .map((event) => frame(event.event, event.data, String(event.seq)));
    if (frames.length === 0) continue;
    if (!reader.write(frames.join(''))) await reader.waitForDrain();
  }
  reader.end();
}

/** Events that every reader receives. */
const ALWAYS = new Set(['metadata', 'error', 'feedback', 'end']);

/**
 * Matches event names with the requested modes and namespaces. Events of subgraphs (`updates|node:id`) belong
 * to the mode that they start with.
 */
function matchEvents(
  modes: WantedModes,
  namespaces: readonly string[] | undefined,
): (event: string) => boolean {
  const anyMode = modes === undefined || modes.length === 0;
  if (anyMode && namespaces === undefined) return () => true;
  return (event) => {
    const [name = '', ...namespace] = event.split('|');
    if (ALWAYS.has(name)) return true;
    if (namespaces !== undefined && !namespaces.includes(namespace.join('|'))) return false;
    if (anyMode) return true;
    if (name === 'messages') return modes.includes('messages-tuple');
    const [mode = ''] = name.split('/', 1);
    return modes.includes(mode);
  };
}
