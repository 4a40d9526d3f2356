const TRACING_NAME =
  /^LANG(?:SMITH|CHAIN)_(?:TRACING(?:_V2)?|TRACING_SAMPLING_RATE|ENDPOINT|API_KEY|PROJECT|SESSION|WORKSPACE_ID|RUNS_ENDPOINTS)$/;

/**
 * Whether a variable controls if and where runs are traced; the server that runs a project sets such
 * variables itself.
 */
export function isTracingVariable(name: string): boolean {
  return TRACING_NAME.test(name);
}
