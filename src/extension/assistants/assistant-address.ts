import * as vscode from 'vscode';
import { segment } from '../documents/address-segments.ts';

export const ASSISTANT_SCHEME = 'agent-harbor-assistant';

/** The assistant that a document shows. The assistant may not exist yet. */
interface AssistantAddress {
  readonly assistantId: string;
  readonly graphId: string;
  /** The key of the deployment that has it. */
  readonly deployment: string;
}

const MEMENTO_KEY = 'assistantDocuments';
/** The maximum number of addresses that are remembered. */
const MAX_ADDRESSES = 100;

/** Makes and resolves the URIs of assistant documents, which are short because VS Code shows them. */
export class AssistantAddresses {
  readonly #memento: vscode.Memento;

  /** @param memento the workspace's, because editors are restored after a restart of the window. */
  constructor(memento: vscode.Memento) {
    this.#memento = memento;
  }

  /**
   * Makes the URI of an assistant's document, and remembers the address for it. The addresses that were used
   * longest ago are forgotten.
   */
  async makeUri(address: AssistantAddress, name: string): Promise<vscode.Uri> {
    const others = this.#readKnown().filter(({ assistantId }) => assistantId !== address.assistantId);
    await this.#memento.update(MEMENTO_KEY, [address, ...others].slice(0, MAX_ADDRESSES));
    return vscode.Uri.from({
      scheme: ASSISTANT_SCHEME,
      path: `/${segment(address.graphId)}/${segment(name)}.json`,
      query: address.assistantId,
    });
  }

  /** @throws FileSystemError when the document's address is no longer remembered. */
  addressOf(uri: vscode.Uri): AssistantAddress {
    const found = this.#readKnown().find(({ assistantId }) => assistantId === uri.query);
    if (found === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return found;
  }

  #readKnown(): readonly AssistantAddress[] {
    return this.#memento.get<readonly AssistantAddress[]>(MEMENTO_KEY, []);
  }
}
