/** The setting that is there as long as a folder is being moved into the database. */
export const MOVING = 'moving';
