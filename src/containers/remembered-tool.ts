import { type ContainerTool, findContainerTool } from './container-tool.ts';

/** Remembers the container tool of this machine once it has been found. */
export class RememberedTool {
  readonly #environment: NodeJS.ProcessEnv;
  #found: Promise<ContainerTool> | undefined;

  constructor(environment: NodeJS.ProcessEnv) {
    this.#environment = environment;
  }

  /**
   * Looks for the tool, unless it was found before.
   * @throws NoContainerToolError
   */
  find(): Promise<ContainerTool> {
    const found = this.#found ?? findContainerTool(this.#environment);
    this.#found = found;
    // The caller gets the error, and the next caller tries again.
    found.catch(() => {
      if (this.#found === found) this.#found = undefined;
    });
    return found;
  }
}
