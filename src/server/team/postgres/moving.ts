/** The setting that exists while a folder is being moved into the database. */
export const MOVING = 'moving';
