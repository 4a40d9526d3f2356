/** The failure of a request to the host, with the actions that the host offers to resolve it. */
export class HostFailure extends Error {
  override readonly name = 'HostFailure';
  /** Identifies the failure to the host. */
  readonly id: number;
  /** The titles of the actions. */
  readonly actions: readonly string[];

  constructor(sentence: string, id: number, actions: readonly string[]) {
    super(sentence);
    this.id = id;
    this.actions = actions;
  }
}
