/** The note to print once the threads of a `langgraph dev` folder have been found. */
export const ONLY_THREADS =
  'Only threads are imported. Runs, assistants, crons and the store of that folder are not.';

/** How to read the folder of `langgraph dev`. */
export interface DevFolderOptions {
  /** Called with a sentence about each part that cannot be imported. */
  readonly onUnsupported: (sentence: string) => void;
}
