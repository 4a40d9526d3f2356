/** A request that the host could not carry out, with proposals for what to do about it. */
export class HostFailure extends Error {
  override readonly name = 'HostFailure';
  /** Identifies it to the host. */
  readonly id: number;
  readonly actions: readonly string[];

  constructor(sentence: string, id: number, actions: readonly string[]) {
    super(sentence);
    this.id = id;
    this.actions = actions;
  }
}
