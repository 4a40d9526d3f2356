import process from 'node:process';
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { startLanguageServer } from './language-server.ts';

// How to talk comes from the command line: --stdio, --node-ipc, --socket=N.
startLanguageServer(createConnection(ProposedFeatures.all), process.env);
