/** A request to run a graph on an example. */
export interface RunRequest {
  readonly graph: string;
  readonly inputs: Record<string, unknown>;
  readonly exampleId: string;
  /** The tracing project of the run. */
  readonly experiment: string;
  readonly timeoutMs: number;
  readonly configurable?: Record<string, unknown> | undefined;
  readonly context?: Record<string, unknown> | undefined;
  /** The path of a run file with recorded answers of models and tools, which the run gets instead of new ones. */
  readonly cassette?: string | undefined;
}
