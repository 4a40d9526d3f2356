/** Objects are in subfolders, so that none has very many files. */
const FOLDER_LENGTH = 2;

/** The name of the object with the file of a blob, compressed with zstd. */
export function objectName(file: string): string {
  return `traces/${file.slice(0, FOLDER_LENGTH)}/${file}.zst`;
}
