/**
 * Loaded before everything else in a process, shifts its clock by the milliseconds in the file `SHIFTED_CLOCK_FILE`.
 */
const { readFileSync } = require('node:fs');
const { performance } = require('node:perf_hooks');

const file = process.env.SHIFTED_CLOCK_FILE;
const LOOK_MS = 100;
let shift = 0;
let lookedAt = Number.NEGATIVE_INFINITY;
const RealDate = Date;

function shifted() {
  if (performance.now() - lookedAt > LOOK_MS) {
    lookedAt = performance.now();
    shift = Number(readFileSync(file, 'utf8'));
  }
  return RealDate.now() + shift;
}

class ShiftedDate extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(shifted());
    else super(...given);
  }

  static now() {
    return shifted();
  }
}
globalThis.Date = ShiftedDate;
