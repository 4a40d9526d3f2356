import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import MiniSearch from 'minisearch';
import type { Passage, Search } from '../state.ts';
import { passagesOf } from './markdown.ts';
import { keyWordsOf, stemOf } from './words.ts';

/** A full-text index over a folder of Markdown. */
export class Corpus {
  readonly files: string[];
  readonly #passages: Passage[] = [];
  readonly #index = new MiniSearch({
    fields: ['heading', 'text'],
    tokenize: keyWordsOf,
    processTerm: stemOf,
    searchOptions: { boost: { heading: 2 } },
  });

  /** @param documents the text of each file, under the name that citations use */
  constructor(documents: Map<string, string>) {
    this.files = [...documents.keys()];
    for (const [file, markdown] of documents) this.#passages.push(...passagesOf(file, markdown));
    this.#index.addAll(
      this.#passages.map((passage, id) => ({ id, heading: passage.heading, text: passage.text })),
    );
  }

  /** The best `limit` passages for a query, best first; ones far worse than the best are left out. */
  search(query: string, limit: number): Search {
    const keyWords = [...new Set(keyWordsOf(query))];
    const hits = this.#index
      .search(query, {
        // A word of six letters and more that is not in the corpus may be misspelt.
        fuzzy: (stem) => (stem.length >= 6 && !this.#knows(stem) ? 1 : false),
      })
      .map((hit) => {
        const missing = keyWords.filter((word) => !hit.queryTerms.includes(stemOf(word)));
        const share = 1 - missing.length / keyWords.length;
        return { passage: this.#passages[hit.id], missing, share, score: hit.score * share };
      })
      .sort((a, b) => b.score - a.score)
      .slice(0, limit);
    const [first] = hits;
    if (!first) return { query, confidence: 0, missing: keyWords, passages: [] };

    const fullest = hits.reduce((best, hit) => (hit.share > best.share ? hit : best));
    return {
      query,
      confidence: Math.round(fullest.share * 100) / 100,
      missing: fullest.missing,
      passages: hits.filter((hit) => hit.score >= first.score / 3).flatMap((hit) => hit.passage ?? []),
    };
  }

  #knows(stem: string): boolean {
    return this.#index.search(stem, { tokenize: (text) => [text], processTerm: (text) => text }).length > 0;
  }
}

/** Indexes folders of Markdown, and again only when something in them has changed. */
export class CorpusShelf {
  readonly #indexed = new Map<string, { fingerprint: string; corpus: Corpus }>();

  /**
   * The index of a folder. Files are named from the folder's own name on: `docs/concepts.md`.
   * @throws Error when the folder holds no Markdown.
   */
  async open(folder: string): Promise<Corpus> {
    const paths = await markdownFilesIn(folder);
    if (paths.length === 0) throw new Error(`docs_dir: ${folder} holds no Markdown (.md) file.`);
    const stats = await Promise.all(paths.map((path) => stat(path)));
    const fingerprint = paths.map((path, i) => `${path} ${stats[i]?.mtimeMs} ${stats[i]?.size}`).join('\n');

    const known = this.#indexed.get(folder);
    if (known?.fingerprint === fingerprint) return known.corpus;

    const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
    const name = (path: string) => [basename(folder), ...relative(folder, path).split(sep)].join('/');
    const corpus = new Corpus(new Map(paths.map((path, i) => [name(path), texts[i] ?? ''])));
    this.#indexed.set(folder, { fingerprint, corpus });
    return corpus;
  }
}

/** All Markdown files below a folder, in order; hidden folders, node_modules and links are left out. */
async function markdownFilesIn(folder: string): Promise<string[]> {
  const entries = (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const found = entries.map(async (entry) => {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return markdownFilesIn(path);
    return entry.isFile() && entry.name.endsWith('.md') ? [path] : [];
  });
  return (await Promise.all(found)).flat();
}
