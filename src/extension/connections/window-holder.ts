/**
 * This window's name as a holder of open folders. The server serves a folder until each of its holders has
 * closed it or has been away for a while. Windows never close folders: a window may only be reloading, and
 * its runs continue.
 */
export const WINDOW_HOLDER = `vscode-${process.pid}`;
