import type { RecordedRequest } from '../contract/agent-server/exchanges.ts';
import { isObject } from '../process/objects.ts';

/** Paths of the APIs of common model providers. Other models are recognized by the bodies of requests. */
const MODEL_PATH =
  /:(?:stream)?(?:generate|raw|embed|predict)\w*|\/model\/[^/]+\/(?:converse|invoke)|\/(?:chat\/)?completions$|\/embeddings$|\/v1\/(?:messages|responses)$|\/api\/(?:chat|generate|embed)$/i;

/** Whether a request calls a model; all other requests are of kind `tool`. */
export function kindOfRequest({ method, url, body }: RecordedRequest): 'model' | 'tool' {
  if (method.toUpperCase() !== 'POST') return 'tool';
  const path = URL.parse(url)?.pathname ?? '';
  if (MODEL_PATH.test(path)) return 'model';
  return body?.encoding === 'utf8' && hasModelInput(body.data) ? 'model' : 'tool';
}

/** Whether a request asks a model for embeddings. Their costs do not count towards the limit of a run. */
export function isEmbedding({ url }: Pick<RecordedRequest, 'url'>): boolean {
  return /embed/i.test(URL.parse(url)?.pathname ?? '');
}

/** Whether a body names a model and has an input for it. */
function hasModelInput(text: string): boolean {
  if (!text.includes('"model"')) return false;
  try {
    const json: unknown = JSON.parse(text);
    return (
      isObject(json) &&
      typeof json.model === 'string' &&
      ['messages', 'input', 'prompt', 'contents', 'texts', 'inputs'].some((name) => name in json)
    );
  } catch {
    return false;
  }
}
