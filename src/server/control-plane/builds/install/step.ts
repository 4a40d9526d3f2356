/** One command of an installation. */
export interface Step {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Variables in addition to those of every build. */
  readonly env?: Readonly<Record<string, string>>;
}
