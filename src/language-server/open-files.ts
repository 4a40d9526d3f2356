import type { TextDocuments } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { filesOnDisk, type ProjectFiles } from '../project/project-files.ts';
import { uriOf } from './paths.ts';

/** The files of projects with the contents of the editor, or of the disk if they are not open. */
export function openFiles(documents: TextDocuments<TextDocument>): ProjectFiles {
  return {
    ...filesOnDisk,
    async read(file) {
      return documents.get(uriOf(file))?.getText() ?? filesOnDisk.read(file);
    },
  };
}
