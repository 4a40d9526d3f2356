/** The type of the messages with which PostgreSQL delivers notifications. */
const NOTIFICATION = 'A'.charCodeAt(0);
const LENGTH_AT = 1;
const HEADER_BYTES = 5;

/** Lets everything from PostgreSQL through but notifications. @param areLost whether they are lost now. */
export function loseNotifications(areLost: () => boolean): (data: Buffer) => Buffer {
  let held = Buffer.alloc(0);
  return (data) => {
    held = Buffer.concat([held, data]);
    const passed: Buffer[] = [];
    while (held.length >= HEADER_BYTES) {
      const end = LENGTH_AT + held.readInt32BE(LENGTH_AT);
      if (held.length < end) break;
      if (held[0] !== NOTIFICATION || !areLost()) passed.push(held.subarray(0, end));
      held = held.subarray(end);
    }
    return Buffer.concat(passed);
  };
}
