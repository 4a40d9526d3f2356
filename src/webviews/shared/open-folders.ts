import { createContext } from 'preact';
import type { OpenFolder } from '../../extension/panels/webview-rpc.ts';

/** The folders that are open in the window. */
export const OpenFolders = createContext<readonly OpenFolder[]>([]);
