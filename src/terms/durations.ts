/** A duration in a suitable unit, rounded to a useful precision. */
export type Duration =
  | { readonly unit: 'ms' | 's'; readonly value: string }
  | { readonly unit: 'min'; readonly minutes: number; readonly seconds: number };

/** `0.4` or `840` ms, `1.24` or `12.3` s, 2 min 5 s; never negative, even if clocks differ. */
export function durationOf(ms: number): Duration {
  if (ms < 0) return { unit: 'ms', value: '0' };
  if (ms < 10) return { unit: 'ms', value: String(Number(ms.toFixed(1))) };
  if (ms < 999.5) return { unit: 'ms', value: String(Math.round(ms)) };
  const seconds = ms / 1000;
  if (seconds < 9.995) return { unit: 's', value: seconds.toFixed(2) };
  if (seconds < 59.95) return { unit: 's', value: seconds.toFixed(1) };
  const whole = Math.round(seconds);
  return { unit: 'min', minutes: Math.floor(whole / 60), seconds: whole % 60 };
}
