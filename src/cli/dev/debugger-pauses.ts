import { z } from 'zod';
import { jsonOrUndefined } from '../../process/json-or-undefined.ts';

/** Finds where the first message in some bytes begins and ends; undefined while that is unknown. */
type Framing = (bytes: Buffer) => { readonly start: number; readonly end: number } | undefined;

const HEADERS_END = '\r\n\r\n';

const AdapterEvent = z.object({
  type: z.literal('event'),
  event: z.enum(['stopped', 'continued', 'terminated', 'exited']),
});
const InspectorEvent = z.object({ method: z.enum(['Debugger.paused', 'Debugger.resumed']) });

/**
 * Observes the bytes that a debugger sends to its client, and reports when it pauses and resumes the process.
 * @param language Python's debugger speaks the Debug Adapter Protocol; Node's debugger speaks Chrome's DevTools protocol
 * over a WebSocket
 * @returns a function to call with the bytes as they arrive
 */
export function readPauses(
  language: 'python' | 'node',
  onPause: (isPaused: boolean) => void,
): (chunk: Buffer) => void {
  const split = makeSplitter(language === 'python' ? adapterFraming : inspectorFraming());
  return (chunk) => {
    for (const text of split(chunk)) {
      const isPaused = (language === 'python' ? adapterPause : inspectorPause)(jsonOrUndefined(text));
      if (isPaused !== undefined) onPause(isPaused);
    }
  };
}

function adapterPause(message: unknown): boolean | undefined {
  const { data } = AdapterEvent.safeParse(message);
  return data && data.event === 'stopped';
}

function inspectorPause(message: unknown): boolean | undefined {
  const { data } = InspectorEvent.safeParse(message);
  return data && data.method === 'Debugger.paused';
}

/** Splits a stream of bytes into messages. @returns a function that returns the messages that a chunk completes */
function makeSplitter(framing: Framing): (chunk: Buffer) => string[] {
  let chunks: Buffer[] = [];
  let length = 0;
  let needed = 0;
  return (chunk) => {
    chunks.push(chunk);
    length += chunk.length;
    // A long message comes in many chunks, which are joined once.
    if (length < needed) return [];
    let rest = Buffer.concat(chunks);
    const found: string[] = [];
    for (;;) {
      const extent = framing(rest);
      needed = extent?.end ?? 0;
      if (extent === undefined || rest.length < extent.end) break;
      found.push(rest.toString('utf8', extent.start, extent.end));
      rest = rest.subarray(extent.end);
    }
    chunks = [rest];
    length = rest.length;
    return found;
  };
}

const adapterFraming: Framing = (bytes) => {
  const headersEnd = bytes.indexOf(HEADERS_END);
  if (headersEnd === -1) return undefined;
  const [, size] = /Content-Length: *(\d+)/i.exec(bytes.toString('latin1', 0, headersEnd)) ?? [];
  const start = headersEnd + HEADERS_END.length;
  return { start, end: start + Number(size ?? 0) };
};

/**
 * The answer to the upgrade request, then WebSocket frames. A server does not mask its frames, and Node's inspector
 * neither fragments nor compresses them.
 */
function inspectorFraming(): Framing {
  let isUpgraded = false;
  return (bytes) => {
    if (!isUpgraded) {
      const headersEnd = bytes.indexOf(HEADERS_END);
      if (headersEnd === -1) return undefined;
      isUpgraded = true;
      return { start: 0, end: headersEnd + HEADERS_END.length };
    }
    const size = (bytes[1] ?? 0) & 0x7f;
    const start = size === 127 ? 10 : size === 126 ? 4 : 2;
    if (bytes.length < start) return undefined;
    const extended =
      size === 127 ? Number(bytes.readBigUInt64BE(2)) : size === 126 ? bytes.readUInt16BE(2) : size;
    return { start, end: start + extended };
  };
}
