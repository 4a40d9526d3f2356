/** What the command's exit code says (docs/cli.md). */
export const EXIT = {
  ok: 0,
  failed: 1,
  /** The command line itself is wrong: an unknown option, input that is no JSON. */
  usage: 2,
  /** The run waits for an answer to its question. */
  waiting: 3,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const;
