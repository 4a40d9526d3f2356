import { resolve } from 'node:path';
import { Command } from 'commander';
import type { Exchange } from '../../contract/agent-server/exchanges.ts';
import { writeCassette } from '../../run-files/cassette.ts';
import { replaceFile } from '../../run-files/replace-file.ts';
import { openRunFile } from '../../run-files/run-file-on-disk.ts';
import type { Context } from '../context.ts';

export function cassetteCommand({ terminal }: Context): Command {
  return new Command('cassette')
    .description('write what models and tools answered in a run file as a cassette of vcrpy')
    .argument('<file>', 'run file, such as bug.agentrun')
    .argument('<cassette>', 'file to write, such as bug.yaml')
    .action(async (file: string, cassette: string) => {
      await replaceFile(resolve(cassette), writeCassette(exchangesOf(resolve(file))));
      terminal.note(`Saved the cassette as ${cassette}.`);
    });
}

async function* exchangesOf(file: string): AsyncGenerator<Exchange, void, undefined> {
  for await (const line of openRunFile(file)) if (line.kind === 'exchange') yield line;
}
