/** Loaded before everything else in a process whose clock is wrong by `SHIFTED_CLOCK_MS`. */
const shift = Number(process.env.SHIFTED_CLOCK_MS);
const RealDate = Date;
class ShiftedDate extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shift);
    else super(...given);
  }

  static now() {
    return RealDate.now() + shift;
  }
}
globalThis.Date = ShiftedDate;
