import type { Step } from './step.ts';

/** How a Python project's environment is made. */
export interface PythonInstall {
  /** Absolute path of the environment's folder, which graphs run in. */
  readonly venv: string;
  readonly steps: readonly Step[];
}

export interface PythonProject {
  readonly configDir: string;
  /** The top of the source, which nothing looks above. */
  readonly top: string;
  /** `dependencies` of langgraph.json: folders such as `.`, and packages. */
  readonly dependencies: readonly string[];
  readonly pythonVersion: string | undefined;
  /** The folder of the nearest uv.lock. */
  readonly locked: string | undefined;
}
