import * as l10n from '@vscode/l10n';
import { sizeOf } from '../../terms/sizes.ts';

/** A size in words, such as `152 bytes`, `12 KB` or `3.4 MB`. */
export function size(bytes: number): string {
  const { value, unit } = sizeOf(bytes);
  switch (unit) {
    case 'bytes':
      return value === 1 ? l10n.t('1 byte') : l10n.t('{0} bytes', value);
    case 'KB':
      return l10n.t('{0} KB', value);
    case 'MB':
      return l10n.t('{0} MB', value);
    case 'GB':
      return l10n.t('{0} GB', value);
    case 'TB':
      return l10n.t('{0} TB', value);
  }
}
