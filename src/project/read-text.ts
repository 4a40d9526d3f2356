import { readFile } from 'node:fs/promises';

/** A text file in UTF-8 or, as Windows PowerShell writes it (`echo "KEY=x" > .env`), in UTF-16. */
export async function readText(file: string): Promise<string> {
  return decodeText(await readFile(file));
}

/** The text of a file, without the byte order mark that editors on Windows put before it. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}
