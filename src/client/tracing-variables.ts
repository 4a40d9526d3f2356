import type { Connection } from './connection.ts';

/** The environment variables that make `langsmith` SDKs send traces and experiments to a platform. */
export function tracingVariables({ baseUrl, credentials }: Connection): Record<string, string> {
  return {
    LANGSMITH_ENDPOINT: baseUrl,
    LANGSMITH_API_KEY: credentials.apiKey ?? '',
    LANGSMITH_TRACING: 'true',
  };
}
