/** Whether a version comes before another one. Only `x.y.z` is compared; a missing number counts as 0. */
export function isOlder(a: string, b: string): boolean {
  const left = numbers(a);
  const right = numbers(b);
  for (let i = 0; i < 3; i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

function numbers(version: string): number[] {
  return (version.match(/^\d+(\.\d+)*/)?.[0] ?? '').split('.').map(Number);
}
