/** An escape of a string that was cut in its middle. */
const CUT_ESCAPE = /\\(?:u[\da-f]{0,3})?$/i;

/**
 * Reads the beginning of a JSON text, which lists contain instead of long values. Incomplete entries are left
 * out; a string that was cut keeps its beginning.
 * @returns undefined if the text does not begin like JSON
 */
export function parseBeginning(text: string): unknown {
  /** The closing brackets of the lists and objects that are open, the outermost first. */
  const open: string[] = [];
  const closingBrackets = () => open.toReversed().join('');
  let isInString = false;
  /** The text up to its last complete entry, with closing brackets. */
  let complete = '';
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (isInString) {
      if (character === '\\') index++;
      else isInString = character !== '"';
      continue;
    }
    if (character === '"') isInString = true;
    else if (character === ',') complete = text.slice(0, index) + closingBrackets();
    else if (character === '}' || character === ']') open.pop();
    else if (character === '{' || character === '[') {
      open.push(character === '{' ? '}' : ']');
      complete = text.slice(0, index + 1) + closingBrackets();
    }
  }
  const end = isInString ? `${text.replace(CUT_ESCAPE, '')}"` : text;
  for (const candidate of [end + closingBrackets(), complete]) {
    try {
      return JSON.parse(candidate);
    } catch {
      // The text ends in a key or an incomplete number, so an earlier end is tried next.
    }
  }
  return undefined;
}
