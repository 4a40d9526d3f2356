import type { Step } from './step.ts';

/** How to create the environment of a Python project. */
export interface PythonInstall {
  /** Absolute path of the environment's folder. */
  readonly venv: string;
  readonly steps: readonly Step[];
}

export interface PythonProject {
  /** The folder of langgraph.json. */
  readonly configDir: string;
  /** The root of the source. */
  readonly top: string;
  /** `dependencies` of langgraph.json: folders such as `.`, and packages. */
  readonly dependencies: readonly string[];
  /** `python_version` of langgraph.json, such as 3.12. */
  readonly pythonVersion: string | undefined;
  /** The folder of the nearest uv.lock. */
  readonly locked: string | undefined;
}
