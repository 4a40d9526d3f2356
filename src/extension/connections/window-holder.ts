/**
 * This window's name to the server, which serves a workspace until every holder has closed it or has been
 * away for a while. A window never closes what it opened: it may only be reloading, and its runs continue meanwhile.
 */
export const windowHolder = `vscode-${process.pid}`;
