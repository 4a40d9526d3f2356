import type { IncomingMessage } from 'node:http';
import { Backpressure } from './backpressure.ts';
import type { ResponseRecorder } from './exchanges.ts';

/**
 * Records the body of a response of `http` while it arrives. The response arrives no faster than it is read
 * and stored.
 */
export function recordResponse(response: IncomingMessage, recorder: ResponseRecorder): void {
  const push = response.push.bind(response);
  const read = response._read.bind(response);
  const backpressure = new Backpressure(() => {
    if (!response.complete) read(0);
  });
  response.push = (piece: unknown) => {
    if (!(piece instanceof Uint8Array)) {
      if (piece === null) recorder.end();
      return push(piece);
    }
    const stored = recorder.add(piece);
    const hasRoom = push(piece);
    if (stored !== undefined) backpressure.hold(stored, hasRoom);
    return hasRoom && !backpressure.isHeld;
  };
  response._read = () => backpressure.resume();
  response.once('close', () => recorder.cut(response.errored ?? undefined));
}
