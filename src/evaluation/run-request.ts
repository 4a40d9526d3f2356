/** A run of a graph on an example. */
export interface RunRequest {
  readonly graph: string;
  readonly inputs: Record<string, unknown>;
  readonly exampleId: string;
  /** The project of its trace. */
  readonly experiment: string;
  readonly timeoutMs: number;
  readonly configurable?: Record<string, unknown> | undefined;
  readonly context?: Record<string, unknown> | undefined;
  /** Path of a run file from which models and tools answer. */
  readonly cassette?: string | undefined;
}
