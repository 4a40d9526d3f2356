/** The oldest version of Node that runs the server: earlier ones have no full-text search in node:sqlite. */
export const MIN_NODE = '22.16';
