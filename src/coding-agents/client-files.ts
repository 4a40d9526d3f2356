import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser';

/** The command with which other programs start the MCP server. */
export interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** A coding agent, and the file in a project's folder that lists its MCP servers. */
export interface CodingAgent {
  /** The name that users pass in command lines. */
  readonly id: string;
  readonly name: string;
  /** The path relative to the folder, with slashes. */
  readonly file: string;
  /**
   * Returns the text of the file with our server's entry added or replaced. Other entries are kept.
   * @param before the current text; undefined when there is no file
   * @throws Error when the current text of a JSON file is not valid
   */
  addServer(before: string | undefined, start: StartCommand): string;
}

const NAME = 'agent-harbor';

export const CODING_AGENTS: readonly CodingAgent[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    file: '.mcp.json',
    addServer: inJson,
  },
  {
    id: 'cursor',
    name: 'Cursor',
    file: '.cursor/mcp.json',
    addServer: inJson,
  },
  { id: 'codex', name: 'Codex', file: '.codex/config.toml', addServer: inToml },
];

/** Sets our entry in `mcpServers`. @throws Error for text that is not valid JSON */
function inJson(before: string | undefined, { command, args }: StartCommand): string {
  const text = before === undefined || before.trim() === '' ? '{}\n' : before;
  const errors: ParseError[] = [];
  parse(text, errors, { allowTrailingComma: true });
  if (errors.length > 0) throw new Error('It is not valid JSON.');
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: text.includes('\r\n') ? '\r\n' : '\n' };
  return applyEdits(text, modify(text, ['mcpServers', NAME], { command, args }, { formattingOptions }));
}

/** A pattern for the header of our table in TOML, which may have quotes, spaces, and a comment after it. */
const HEADER = new RegExp(`^\\s*\\[\\s*${keyOf('mcp_servers')}\\s*\\.\\s*${keyOf(NAME)}\\s*\\]\\s*(?:#.*)?$`);

/** A pattern for a line that begins one of our settings. */
const SETTING = new RegExp(`^\\s*(?:${keyOf('command')}|${keyOf('args')})\\s*=`);

/** A pattern for a key of TOML, which may be in quotes. */
function keyOf(name: string): string {
  return `(?:${name}|"${name}"|'${name}')`;
}

/** Replaces the settings in our table, or adds the table at the end. The order of tables has no meaning in TOML. */
function inToml(before: string | undefined, { command, args }: StartCommand): string {
  const settings = [`command = ${JSON.stringify(command)}`, `args = ${JSON.stringify(args)}`];
  const text = before ?? '';
  const lines = text.split(/\r?\n/);
  const at = lines.findIndex((line) => HEADER.test(line));
  if (at < 0) {
    const table = `${[`[mcp_servers.${NAME}]`, ...settings].join('\n')}\n`;
    return text.trim() === '' ? table : `${text.trimEnd()}\n\n${table}`;
  }
  const kept = withoutSettings(lines.slice(at + 1));
  const space = /^\s*\[/.test(kept[0] ?? '') ? [''] : [];
  return [...lines.slice(0, at + 1), ...settings, ...space, ...kept].join('\n').replace(/\n*$/, '\n');
}

/** The lines after the header of our table without the settings that are replaced, which may take several lines. */
function withoutSettings(lines: readonly string[]): string[] {
  let isOurs = true;
  let isDropped = false;
  let depth = 0;
  return lines.filter((line) => {
    if (depth === 0) {
      isOurs &&= !/^\s*\[/.test(line);
      isDropped = isOurs && SETTING.test(line);
    }
    depth += arraysOpenedBy(line);
    return !isDropped;
  });
}

/** How many more arrays a line opens than it closes, outside of strings and comments. */
function arraysOpenedBy(line: string): number {
  const bare = line.replaceAll(/"(?:\\.|[^"\\])*"|'[^']*'/g, '').replace(/#.*/, '');
  return bare.split('[').length - bare.split(']').length;
}
