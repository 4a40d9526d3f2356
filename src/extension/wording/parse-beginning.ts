/** An escape of a string that was cut in its middle. */
const CUT_ESCAPE = /\\(?:u[\da-f]{0,3})?$/i;

/**
 * Reads the beginning of a JSON text, which lists contain instead of long values. Incomplete entries are left
 * out; a string that was cut keeps its beginning.
 * @returns undefined if the text does not begin like JSON
 */
export function parseBeginning(text: string): unknown {
  const open: string[] = [];
  const closed = () => open.toReversed().join('');
  let isInString = false;
  let whole = '';
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (isInString) {
      if (character === '\\') index++;
      else isInString = character !== '"';
      continue;
    }
    if (character === '"') isInString = true;
    else if (character === ',') whole = text.slice(0, index) + closed();
    else if (character === '}' || character === ']') open.pop();
    else if (character === '{' || character === '[') {
      open.push(character === '{' ? '}' : ']');
      whole = text.slice(0, index + 1) + closed();
    }
  }
  const end = isInString ? `${text.replace(CUT_ESCAPE, '')}"` : text;
  for (const candidate of [end + closed(), whole]) {
    try {
      return JSON.parse(candidate);
    } catch {
      // The text ends in a key or an incomplete number, so an earlier end is tried next.
    }
  }
  return undefined;
}
