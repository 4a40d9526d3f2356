import path from 'node:path';
import { findInstalled, type InstalledPackage } from '../langgraph/installed-package.ts';

/**
 * The `@langchain/core` of a project. With pnpm, a project has only the packages that it names; otherwise
 * LangGraph's is used.
 * @param file a module of the project.
 */
export function findLangChainCore(file: string): InstalledPackage | undefined {
  const core = findInstalled('@langchain/core', file);
  if (core !== undefined) return core;
  const langgraph = findInstalled('@langchain/langgraph', file);
  return langgraph && findInstalled('@langchain/core', path.join(langgraph.folder, 'package.json'));
}
