/** The use of a folder by a task of this process; disposing ends it. */
interface FolderUse extends AsyncDisposable {
  /** Whether no other task of this process uses the folder. */
  readonly isOnly: boolean;
  /** Sets the function that closes the folder when its last use ends. It must not reject. */
  onLastEnd(close: () => Promise<void>): void;
}

interface Uses {
  count: number;
  close: () => Promise<void>;
  /** Settles once the folder is no longer being closed. */
  closing: Promise<void>;
}

/** The folders in use, by the path of their langgraph.json. */
const folders = new Map<string, Uses>();

/**
 * Begins to use a folder. The server knows this process by one name (`HOLDER`), so this process counts its concurrent
 * uses itself, for example by tool calls. Waits while the folder is being closed.
 */
export async function useFolder(configPath: string): Promise<FolderUse> {
  const uses = folders.get(configPath) ?? { count: 0, close: async () => {}, closing: Promise.resolve() };
  folders.set(configPath, uses);
  uses.count++;
  const isOnly = uses.count === 1;
  await uses.closing;
  return {
    isOnly,
    onLastEnd(close) {
      uses.close = close;
    },
    async [Symbol.asyncDispose]() {
      uses.count--;
      if (uses.count > 0) return;
      uses.closing = uses.close();
      await uses.closing;
      if (uses.count === 0) folders.delete(configPath);
    },
  };
}
