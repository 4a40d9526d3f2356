/** The channel of a graph whose state is a single value. */
export const ROOT = '__root__';
/** The channel with the pending `Send`s. */
export const SENDS = '__pregel_tasks';
/** The beginning of the names of channels that trigger a node. */
export const BRANCH = 'branch:to:';
