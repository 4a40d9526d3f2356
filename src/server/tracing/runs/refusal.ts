/** Why a run of a request was refused. */
export interface Refusal {
  /** The part it came in, such as `post.<run_id>`. */
  readonly part: string;
  readonly message: string;
  readonly type: string;
  /** Whether the run already existed with other content. */
  readonly duplicate: boolean;
}

/** The type of a refusal of a project that the sender's key does not name. */
export const NOT_WRITABLE = 'forbidden';

/** Thrown while a run is checked. */
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
