/** A number in at most four characters or so, such as `950`, `1.2k`, `34k` or `1.2M`. */
export function shortCount(count: number): string {
  if (count < 1000) return String(count);
  if (count < 9_950) return `${(count / 1000).toFixed(1)}k`;
  if (count < 999_500) return `${Math.round(count / 1000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}
