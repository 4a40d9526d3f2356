/** The object or list in a text that is JSON; `undefined` for any other text. Tools often return JSON as text. */
export function parseStructured(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
