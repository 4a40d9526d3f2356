/** How the folder of `langgraph dev` is read. */
export interface DevFolderOptions {
  /** Told of what there is and cannot be taken over. */
  readonly onUnsupported: (sentence: string) => void;
}
