import { randomFillSync } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

const RANDOM_BYTES = 16;

/** Random bytes for many IDs, because each call of `randomFillSync` is expensive. */
const pool = new Uint8Array(256 * RANDOM_BYTES);
let used = pool.length;
/** The time and the counter of the last ID. */
let msecs = 0;
let seq = 0;

/** Makes a UUID of version 7, which is greater than all earlier ones of this process. */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.subarray(used, used + RANDOM_BYTES);
  used += RANDOM_BYTES;
  const now = Date.now();
  if (now > msecs) {
    msecs = now;
    seq = new DataView(random.buffer, random.byteOffset).getUint32(0) >>> 1;
  } else {
    seq++;
  }
  return uuidv7({ random, msecs, seq });
}
