import process from 'node:process';
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { startLanguageServer } from './language-server.ts';

// The command line selects the transport: --stdio, --node-ipc, --socket=N.
startLanguageServer(createConnection(ProposedFeatures.all), process.env);
