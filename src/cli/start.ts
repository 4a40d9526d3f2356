#!/usr/bin/env node
import * as nodeModule from 'node:module';
import { compileCacheDir } from '../launcher/compile-cache.ts';
import { findNewerNode, runOn } from './newer-node.ts';

const node = findNewerNode();
if (node === undefined) {
  // The cache is enabled before the program is loaded, because compiling takes most of the start. Node 20 has
  // no compile cache.
  if ('enableCompileCache' in nodeModule) nodeModule.enableCompileCache(compileCacheDir());
  // Secrets are removed before the program is loaded, because that restarts the process, and the program
  // would be loaded twice.
  if (process.argv[2] === 'team') await hideSecrets();
  await import('./main.ts');
} else {
  runOn(node);
}

async function hideSecrets(): Promise<void> {
  const { hideTeamSecrets } = await import('./team/team-secrets.ts');
  try {
    hideTeamSecrets(process.argv.slice(2));
  } catch {
    // The command itself reports the failure.
  }
}
