/** @returns the value of a JSON document; `undefined` when it is not one */
export function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
