import type { IncomingMessage } from 'node:http';
import type { KeptResponse } from './exchanges.ts';

/** Keeps the body of a response of `http` while it is received: no faster than it is read and stored. */
export function keepMessage(response: IncomingMessage, kept: KeptResponse): void {
  const push = response.push.bind(response);
  const read = response._read.bind(response);
  /** Parts that are not stored yet. */
  let storing = 0;
  let isRead = false;
  response.push = (piece: unknown) => {
    if (!(piece instanceof Uint8Array)) {
      if (piece === null) kept.end();
      return push(piece);
    }
    const stored = kept.add(piece);
    const hasRoom = push(piece);
    if (stored === undefined) return hasRoom && storing === 0;
    storing++;
    void stored.then(() => {
      storing--;
      if ((hasRoom || isRead) && storing === 0 && !response.complete) response._read(0);
    });
    return false;
  };
  response._read = (size) => {
    isRead = storing > 0;
    if (!isRead) read(size);
  };
  response.once('close', () => kept.cut(response.errored ?? undefined));
}
