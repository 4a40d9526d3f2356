/**
 * Why a write was refused. `stale`: the data that it was based on has changed since. `gone`: the object that it belongs
 * to has been deleted.
 */
export type RefusalCode = 'stale' | 'gone';

/** A condition of a unit of writes did not hold, so no part of the unit was stored. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly code: RefusalCode;

  constructor(code: RefusalCode) {
    super(`A unit of writes was refused (${code}). No part of it was stored.`);
    this.code = code;
  }
}

/** Whether a write was refused for this reason. */
export function isRefused(error: unknown, code: RefusalCode): boolean {
  return error instanceof Refused && error.code === code;
}
