/** A number in few characters, such as `950`, `1.2k`, `34k`, `1.2M` or `2.0B`. */
export function shortCount(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_500) return `${shortNumber(count / 1_000)}k`;
  if (count < 999_500_000) return `${shortNumber(count / 1_000_000)}M`;
  return `${shortNumber(count / 1_000_000_000)}B`;
}

function shortNumber(value: number): string {
  return value < 9.95 ? value.toFixed(1) : String(Math.round(value));
}
