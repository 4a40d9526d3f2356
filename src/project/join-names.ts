/** Joins names with commas: the first `max` names, and the number of the others. */
export function joinNames(names: readonly string[], max: number): string {
  const shown = names.slice(0, max).join(', ');
  return names.length > max ? `${shown} and ${names.length - max} more` : shown;
}
