import * as vscode from 'vscode';
import { type IRawGrammar, parseRawGrammar } from 'vscode-textmate';
import { z } from 'zod';
import { type Contribution, contributionsOf } from './contributions.ts';
import { readText } from './read-text.ts';

const Names = z.array(z.string()).catch([]);
const Language = z.object({ id: z.string(), aliases: Names, extensions: Names });
const Grammar = z.object({
  scopeName: z.string(),
  path: z.string(),
  language: z.string().optional(),
  /** The scopes of the grammars to which this grammar adds rules. */
  injectTo: Names,
});
type Grammar = z.output<typeof Grammar>;

/** The grammars that VS Code and its extensions contribute. */
export class Grammars {
  readonly #byScope = new Map<string, Contribution<Grammar>>();
  /** The scopes of languages, by their IDs. */
  readonly #scopes = new Map<string, string>();
  /** The IDs of languages, by their names in lower case. */
  readonly #languages = new Map<string, string>();
  /** The scopes of the grammars that add rules to a grammar, by the scope of the latter. */
  readonly #injections = new Map<string, string[]>();

  constructor() {
    for (const grammar of contributionsOf('grammars', Grammar)) {
      const { scopeName, language, injectTo } = grammar.item;
      this.#byScope.set(scopeName, grammar);
      if (language !== undefined) this.#scopes.set(language, scopeName);
      for (const scope of injectTo)
        this.#injections.set(scope, [...(this.#injections.get(scope) ?? []), scopeName]);
    }
    const languages = contributionsOf('languages', Language).map(({ item }) => item);
    // Later names win: an ID over an alias, and an alias over a file extension.
    for (const { id, extensions } of languages)
      for (const ending of extensions) this.#name(ending.slice(1), id);
    for (const { id, aliases } of languages) for (const alias of aliases) this.#name(alias, id);
    for (const { id } of languages) this.#name(id, id);
  }

  /**
   * The scope of a language.
   * @param name of the language in a block of code: an ID, an alias, or a file extension
   */
  scopeOf(name: string): string | undefined {
    return this.#scopes.get(this.#languages.get(name.toLowerCase()) ?? name);
  }

  /** The scopes of the grammars that add rules to the grammar of a scope; undefined if there are none. */
  injectionsOf(scope: string): string[] | undefined {
    return this.#injections.get(scope);
  }

  /** Reads the grammar of a scope; undefined if there is none. @throws Error if its file cannot be read */
  async read(scope: string): Promise<IRawGrammar | undefined> {
    const grammar = this.#byScope.get(scope);
    if (grammar === undefined) return undefined;
    const file = vscode.Uri.joinPath(grammar.folder, grammar.item.path);
    return parseRawGrammar(await readText(file), file.path);
  }

  #name(name: string, id: string): void {
    // A language without a grammar does not take the name from one that has a grammar.
    if (this.#scopes.has(id)) this.#languages.set(name.toLowerCase(), id);
  }
}
