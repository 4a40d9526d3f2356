import { sizeOf } from '../../terms/sizes.ts';

/** A size in words, such as `152 bytes` or `3.4 MB`. */
export function sizeText(bytes: number): string {
  const { value, unit } = sizeOf(bytes);
  return value === 1 ? '1 byte' : `${value} ${unit}`;
}
