/** In folders of a store, so that none has very many files. */
const FOLDER_LENGTH = 2;

/** The object that the file of a blob is in, compressed by zstd. */
export function objectName(file: string): string {
  return `traces/${file.slice(0, FOLDER_LENGTH)}/${file}.zst`;
}
