/** An event of the v2 protocol before it has its number. */
export interface ProjectedEvent {
  readonly method: string;
  readonly namespace: readonly string[];
  readonly data: unknown;
}
