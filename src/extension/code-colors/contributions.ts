import * as vscode from 'vscode';
import { z } from 'zod';
import { listOfValid } from './list-of-valid.ts';

const Manifest = z.object({ contributes: z.record(z.string(), z.unknown()).catch({}) });

/**
 * An item that an extension contributes, and the extension's folder, to which the item's paths are relative.
 */
export interface Contribution<Item> {
  readonly item: Item;
  readonly folder: vscode.Uri;
}

/** The items of one kind that VS Code and all extensions contribute. */
export function contributionsOf<Item extends z.ZodType>(
  kind: 'languages' | 'grammars' | 'themes',
  schema: Item,
): Contribution<z.output<Item>>[] {
  const items = listOfValid(schema);
  return vscode.extensions.all.flatMap(({ packageJSON, extensionUri: folder }) => {
    const manifest = Manifest.safeParse(packageJSON);
    return manifest.success
      ? items.parse(manifest.data.contributes[kind]).map((item) => ({ item, folder }))
      : [];
  });
}
