/** The base64 of a text in UTF-8. */
export function toBase64(text: string): string {
  return btoa(new TextEncoder().encode(text).reduce((all, byte) => all + String.fromCharCode(byte), ''));
}
