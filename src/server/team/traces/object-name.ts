/** In subfolders, so that none has very many files. */
const FOLDER_LENGTH = 2;

/** The object with the file of a blob, compressed by zstd. */
export function objectName(file: string): string {
  return `traces/${file.slice(0, FOLDER_LENGTH)}/${file}.zst`;
}
