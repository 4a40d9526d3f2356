import type { IncomingMessage } from 'node:http';
import type { KeptResponse } from './exchanges.ts';
import { StoringBrake } from './storing-brake.ts';

/** Records the body of a response of `http` while it is received, no faster than it is read and stored. */
export function keepMessage(response: IncomingMessage, kept: KeptResponse): void {
  const push = response.push.bind(response);
  const read = response._read.bind(response);
  const brake = new StoringBrake(() => {
    if (!response.complete) read(0);
  });
  response.push = (piece: unknown) => {
    if (!(piece instanceof Uint8Array)) {
      if (piece === null) kept.end();
      return push(piece);
    }
    const stored = kept.add(piece);
    const hasRoom = push(piece);
    if (stored !== undefined) brake.hold(stored, hasRoom);
    return hasRoom && !brake.isHeld;
  };
  response._read = () => brake.release();
  response.once('close', () => kept.cut(response.errored ?? undefined));
}
