const ends: (() => PromiseLike<void>)[] = [];

/** Stops a resource that the test files of this process share, after the last file. */
export function atEnd(end: () => PromiseLike<void>): void {
  ends.push(end);
}

/** Required by mocha. */
export const mochaHooks = {
  async afterAll(this: Mocha.Context): Promise<void> {
    this.timeout(60_000);
    for (const end of ends.splice(0).toReversed()) await end();
  },
};
