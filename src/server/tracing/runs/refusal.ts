/** Says why a run in a request was refused. */
export interface Refusal {
  /** The name of the part, such as `post.<run_id>`. */
  readonly part: string;
  readonly message: string;
  /** The kind of the error, such as `missing`, for programs. */
  readonly type: string;
  /** Whether the run already existed with other content. */
  readonly duplicate: boolean;
}

/** The type of a refusal because of a project that the sender's key does not name. */
export const NOT_WRITABLE = 'forbidden';

/** Thrown when a run is refused. */
export class RunRefused extends Error {
  override readonly name = 'RunRefused';
  readonly type: string;
  readonly duplicate: boolean;
  constructor(message: string, options: { type?: string; duplicate?: boolean } = {}) {
    super(message);
    this.type = options.type ?? 'value_error';
    this.duplicate = options.duplicate ?? false;
  }
}
