/** How many spans the first message to a webview has: few, because they are seen first. */
export const FIRST_PAGE = 300;
/** How many spans each further message has. */
export const PAGE_SIZE = 2_500;
