import type { Connection } from './connection.ts';

/** The environment variables with which `langsmith` SDKs send what they trace and test to a platform. */
export function tracingVariables({ baseUrl, credentials }: Connection): Record<string, string> {
  return {
    LANGSMITH_ENDPOINT: baseUrl,
    LANGSMITH_API_KEY: credentials.apiKey ?? '',
    LANGSMITH_TRACING: 'true',
  };
}
