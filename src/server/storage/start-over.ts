/** The file that marks a data folder in which `traces.db` has been created. */
export const WITH_TRACES = 'has-traces';

/**
 * How to start over without a database, as a clause. Files that show that it existed must be moved too, because the server
 * would otherwise report it as lost.
 */
export function howToStartOver(dataDir: string, database: string): string {
  switch (database) {
    case 'state.db':
      return `move everything in ${dataDir} away to start with nothing`;
    case 'traces.db':
      return `move ${WITH_TRACES}, blobs and all files whose names start with traces.db away to start without traces`;
    default:
      return `move ${database} and all files whose names start with it away to start without it`;
  }
}
