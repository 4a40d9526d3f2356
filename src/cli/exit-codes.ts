/** Exit codes of the commands (docs/cli.md). */
export const EXIT = {
  ok: 0,
  failed: 1,
  /** The command line is wrong: an unknown option, or input that is not valid JSON. */
  usage: 2,
  /** The run is interrupted and waiting for an answer. */
  waiting: 3,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const;
