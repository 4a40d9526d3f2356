/** Names as one text: the first ones, and how many more there are. */
export function joinNames(names: readonly string[], max: number): string {
  const shown = names.slice(0, max).join(', ');
  return names.length > max ? `${shown} and ${names.length - max} more` : shown;
}
