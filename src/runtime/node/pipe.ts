import { Socket } from 'node:net';
import { Duplex } from 'node:stream';

const DEFAULT_FD = 3;

/**
 * The connection to the server, which the process inherits.
 * @param descriptors the number of a file descriptor, or in a container of two: one to read, one to write.
 */
export function openPipe(descriptors: string | undefined): Duplex {
  const [fd = DEFAULT_FD, output] = descriptors?.split(',').map(Number) ?? [];
  if (output === undefined) return new Socket({ fd, readable: true, writable: true });
  return Duplex.from({
    readable: new Socket({ fd, readable: true, writable: false }),
    writable: new Socket({ fd: output, readable: false, writable: true }),
  });
}
