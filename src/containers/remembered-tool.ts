import { type ContainerTool, findContainerTool } from './container-tool.ts';

/** Finds the machine's container tool once; a missing one is looked for again. */
export class RememberedTool {
  readonly #environment: NodeJS.ProcessEnv;
  #found: Promise<ContainerTool> | undefined;

  constructor(environment: NodeJS.ProcessEnv) {
    this.#environment = environment;
  }

  /** @throws NoContainerToolError */
  find(): Promise<ContainerTool> {
    const found = this.#found ?? findContainerTool(this.#environment);
    this.#found = found;
    // The caller gets the error, and the next one tries again.
    found.catch(() => {
      if (this.#found === found) this.#found = undefined;
    });
    return found;
  }
}
