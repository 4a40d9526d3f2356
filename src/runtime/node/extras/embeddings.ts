import type { StoreEmbedParams, StoreEmbedResult } from '../../protocol/protocol.ts';
import { GraphLoadError, ReturnValueError } from '../errors/runtime-error.ts';
import { isRecord } from '../langgraph-types.ts';
import { loadEmbeddingModel } from './embedding-model.ts';
import type { Extras } from './extras.ts';

/**
 * Computes vectors with `store.index.embed`: a function from strings to vectors, an embeddings object of
 * LangChain, or `provider:model`.
 */
export class Embeddings {
  readonly #extras: Extras;
  /** The model that `provider:model` names; undefined until it is first used. */
  #model: Promise<unknown> | undefined;

  constructor(extras: Extras) {
    this.#extras = extras;
  }

  async embed({ texts }: StoreEmbedParams): Promise<StoreEmbedResult> {
    const vectors = await call(await this.#loadEmbedder(), texts);
    if (!isVectors(vectors) || vectors.length !== texts.length) {
      throw new ReturnValueError('store.index.embed must return a list of numbers for each text.');
    }
    return { vectors };
  }

  #loadEmbedder(): Promise<unknown> {
    const reference = this.#extras.referenceTo('embed');
    if (reference === undefined) return this.#extras.load('embed');
    this.#model ??= loadEmbeddingModel(reference.place, reference.projectDir);
    return this.#model.then((model) => model ?? this.#extras.load('embed'));
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
