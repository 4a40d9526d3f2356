import path from 'node:path';
import type { Generation } from './generations/generation.ts';
import type { LogBook } from './output/log-book.ts';
import type { Project } from './project/project.ts';
import { ProjectNotices } from './project/project-notices.ts';
import { describeFiles } from './watch/describe-files.ts';
import { ProjectWatch } from './watch/project-watch.ts';

/** Watches the files of an open folder, and logs changes and problems of its project. */
export class SourceWatch {
  readonly #watch: ProjectWatch;
  readonly #notices: ProjectNotices;
  #dir = '';

  /** @param onChange called when the graphs are to be loaded again. */
  constructor(log: LogBook, onChange: () => void) {
    this.#notices = new ProjectNotices(log);
    this.#watch = new ProjectWatch((files) => {
      log.write('INFO', `Changed: ${describeFiles(this.#dir, files)}. Reloading the graphs.`);
      onChange();
    });
  }

  /** Watches the folder of a langgraph.json, and the env file that it names. */
  watch(configPath: string, envFile: string | undefined): void {
    this.#dir = path.dirname(configPath);
    this.#watch.watch(configPath, envFile);
  }

  /** Also watches the packages of Python graphs. */
  includePackages({ runtimes }: Generation): void {
    for (const { language, program } of runtimes)
      if (language === 'python') void this.#watch.includePython(program.executable);
  }

  /** Logs problems of the project that do not keep its graphs from loading. */
  logProblemsSoon(project: Project, inherited: Readonly<Record<string, string | undefined>>): void {
    this.#notices.logSoon(project, inherited);
  }

  async close(): Promise<void> {
    this.#notices.stop();
    await this.#watch.close();
  }
}
