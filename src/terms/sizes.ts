const UNITS = ['KB', 'MB', 'GB', 'TB'] as const;

/** A number of bytes in a suitable unit: `152` bytes, `1.2` KB, `12` KB, `3.4` MB. */
export type Size =
  | { readonly unit: 'bytes'; readonly value: number }
  | { readonly unit: (typeof UNITS)[number]; readonly value: string };

export function sizeOf(bytes: number): Size {
  if (bytes < 1000) return { unit: 'bytes', value: bytes };
  let value = bytes / 1000;
  let at = 0;
  // 999.6 would be rounded to 1000.
  while (value >= 999.5 && at < UNITS.length - 1) {
    value /= 1000;
    at += 1;
  }
  return { unit: UNITS[at] ?? 'TB', value: value.toFixed(value < 9.95 ? 1 : 0) };
}
