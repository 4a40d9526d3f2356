/**
 * The name of this window for the server, which serves folders until every holder has closed it or has been away
 * for a while. A window never closes what it opened: it may only be reloading, and its runs continue.
 */
export const WINDOW_HOLDER = `vscode-${process.pid}`;
