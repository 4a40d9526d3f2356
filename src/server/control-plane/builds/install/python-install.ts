import type { Step } from './step.ts';

/** How to create the environment of a Python project. */
export interface PythonInstall {
  /** Absolute path of the environment's folder, which graphs run in. */
  readonly venv: string;
  readonly steps: readonly Step[];
}

export interface PythonProject {
  readonly configDir: string;
  /** The root of the source. */
  readonly top: string;
  /** `dependencies` of langgraph.json: folders such as `.`, and packages. */
  readonly dependencies: readonly string[];
  readonly pythonVersion: string | undefined;
  /** The folder of the nearest uv.lock. */
  readonly locked: string | undefined;
}
