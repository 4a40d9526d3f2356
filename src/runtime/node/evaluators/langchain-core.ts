import path from 'node:path';
import { findInstalled, type InstalledPackage } from '../langgraph/installed-package.ts';

/**
 * Finds the `@langchain/core` of a project, or else that of its LangGraph: with pnpm, a project can only load
 * the packages in its package.json.
 * @param file a module of the project.
 */
export function findLangChainCore(file: string): InstalledPackage | undefined {
  const core = findInstalled('@langchain/core', file);
  if (core !== undefined) return core;
  const langgraph = findInstalled('@langchain/langgraph', file);
  return langgraph && findInstalled('@langchain/core', path.join(langgraph.folder, 'package.json'));
}
