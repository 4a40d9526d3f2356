import { loadMore } from './load-more.ts';
import { openDocumentation } from './open-documentation.ts';
import { refresh } from './refresh.ts';
import { reportIssue } from './report-issue.ts';
import { showActions } from './show-actions.ts';
import { showLog } from './show-log.ts';

/** Commands about all views, and the extension itself. */
export const generalCommands = {
  loadMore,
  openDocumentation,
  refresh,
  reportIssue,
  showActions,
  showLog,
};
