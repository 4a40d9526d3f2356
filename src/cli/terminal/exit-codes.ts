/** Exit codes of the commands (docs/cli.md). */
export const EXIT = {
  ok: 0,
  failed: 1,
  /** The command line is wrong: an unknown option, or input that is not valid JSON. */
  usage: 2,
  /** The run is interrupted and waiting for an answer. */
  waiting: 3,
  /** `replay`, `prove`: the project cannot be loaded; `git bisect run` skips the commit. */
  untestable: 125,
  /** `replay`, `prove`: the run file cannot be read; `git bisect run` stops. */
  aborted: 128,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const;
