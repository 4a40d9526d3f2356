import { readFile } from 'node:fs/promises';

/**
 * Reads a text file in UTF-8, or in UTF-16, which Windows PowerShell writes (`echo "KEY=x" > .env`).
 * @throws the error of the file system
 */
export async function readText(file: string): Promise<string> {
  return decodeText(await readFile(file));
}

/** Decodes the content of a text file, without its byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}
