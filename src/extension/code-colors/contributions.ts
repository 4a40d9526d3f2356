import * as vscode from 'vscode';
import { z } from 'zod';

/**
 * The schema of a list that keeps only valid items. Extensions also contribute invalid items, which VS Code
 * ignores too.
 */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .array(z.unknown())
    .catch([])
    .transform((items) =>
      items.flatMap((one) => {
        const read = item.safeParse(one);
        return read.success ? [read.data] : [];
      }),
    );

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
  const items = listOf(schema);
  return vscode.extensions.all.flatMap(({ packageJSON, extensionUri: folder }) => {
    const manifest = Manifest.safeParse(packageJSON);
    return manifest.success
      ? items.parse(manifest.data.contributes[kind]).map((item) => ({ item, folder }))
      : [];
  });
}

/** Reads the text of a file. @throws FileSystemError */
export async function readText(file: vscode.Uri): Promise<string> {
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
}
