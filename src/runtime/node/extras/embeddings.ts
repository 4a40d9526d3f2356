import type { StoreEmbedParams, StoreEmbedResult } from '../../protocol/protocol.ts';
import { isRecord } from '../langgraph-types.ts';
import { GraphLoadError } from '../runtime-error.ts';
import type { Extras } from './extras.ts';

/** `store.index.embed`: a function from texts to vectors, or an embeddings object of LangChain. */
export class Embeddings {
  readonly #extras: Extras;
  constructor(extras: Extras) {
    this.#extras = extras;
  }

  async embed({ texts }: StoreEmbedParams): Promise<StoreEmbedResult> {
    const exported = await this.#extras.load('embed');
    const vectors = await call(exported, texts);
    if (!isVectors(vectors) || vectors.length !== texts.length) {
      throw new GraphLoadError('store.index.embed must return one list of numbers for each text.');
    }
    return { vectors };
  }
}

function call(exported: unknown, texts: string[]): unknown {
  if (typeof exported === 'function') return exported(texts);
  if (isRecord(exported) && typeof exported.embedDocuments === 'function')
    return exported.embedDocuments(texts);
  throw new GraphLoadError('store.index.embed must be a function, or an object with embedDocuments(texts).');
}

function isVectors(value: unknown): value is number[][] {
  return (
    Array.isArray(value) &&
    value.every((vector) => Array.isArray(vector) && vector.every((item) => typeof item === 'number'))
  );
}
