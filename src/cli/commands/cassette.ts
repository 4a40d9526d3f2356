import { resolve } from 'node:path';
import { Command } from 'commander';
import type { RecordingLine } from '../../contract/agent-server/exchanges.ts';
import type { Kinds } from '../../replay/run-file.ts';
import { writeCassette } from '../../run-files/cassette.ts';
import { replaceFile } from '../../run-files/replace-file.ts';
import { openRunFile } from '../../run-files/run-file-on-disk.ts';
import type { Context } from '../terminal/context.ts';

export function cassetteCommand({ terminal }: Context): Command {
  return new Command('cassette')
    .description('write the answers of models and tools in a run file as a vcrpy cassette')
    .argument('<file>', 'run file, such as bug.agentrun')
    .argument('<cassette>', 'file to write, such as bug.yaml')
    .action(async (file: string, cassette: string) => {
      await replaceFile(resolve(cassette), writeCassette(readRecording(resolve(file))));
      terminal.note(`Saved the cassette as ${cassette}.`);
    });
}

const RECORDING: Kinds = new Set(['exchange', 'exchange_part']);

async function* readRecording(file: string): AsyncGenerator<RecordingLine, void, undefined> {
  for await (const line of openRunFile(file, RECORDING)) {
    if (line.kind === 'exchange' || line.kind === 'exchange_part') yield line;
  }
}
