/** How to read the folder of `langgraph dev`. */
export interface DevFolderOptions {
  /** Called with what cannot be imported. */
  readonly onUnsupported: (sentence: string) => void;
}
