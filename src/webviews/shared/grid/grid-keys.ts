/**
 * The row that a navigation key selects, following ARIA's authoring practices.
 * @param index the selected row; -1 for none
 * @returns the position of the row; undefined for other keys, and in an empty list
 */
export function rowOfKey(
  key: string,
  { index, count, pageSize }: { readonly index: number; readonly count: number; readonly pageSize: number },
): number | undefined {
  if (count === 0) return undefined;
  const within = (wanted: number) => Math.max(0, Math.min(count - 1, wanted));
  switch (key) {
    case 'ArrowDown':
      return within(index + 1);
    case 'ArrowUp':
      return index < 0 ? count - 1 : within(index - 1);
    case 'PageDown':
      return within(index + pageSize);
    case 'PageUp':
      return within(index - pageSize);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
