import * as vscode from 'vscode';
import { EXAMPLE_SCHEME } from './example-address.ts';
import type { ExampleFiles } from './example-files.ts';

/**
 * Shows a lens above an example that comes from a file of the folder, because evaluating the file replaces
 * the example.
 */
export function registerFileLens(files: () => Promise<ExampleFiles>): vscode.Disposable {
  return vscode.languages.registerCodeLensProvider(
    { scheme: EXAMPLE_SCHEME },
    {
      provideCodeLenses: async ({ uri }) => {
        // If no file can be looked up, for example because the example is new or deleted, there is no lens.
        const found = await (await files()).fileOf(uri).catch(() => undefined);
        if (found === undefined) return [];
        const title = vscode.l10n.t(
          '$(go-to-file) Open in File ({0} overwrites this example when it is evaluated)',
          found.file,
        );
        const command = { title, command: 'agentHarbor.openDatasetFile', arguments: [found] };
        return [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), command)];
      },
    },
  );
}
