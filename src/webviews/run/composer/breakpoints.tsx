import * as l10n from '@vscode/l10n';
import { useId } from 'preact/hooks';
import type { RunOptions } from '../../../extension/panels/run/messages.ts';
import { toggle } from '../toggle.ts';

interface BreakpointsProps {
  readonly nodes: readonly string[];
  readonly options: RunOptions;
  readonly onChange: (part: Partial<RunOptions>) => void;
}

/** A table of the nodes, with checkboxes for the breakpoints before and after each. */
export function Breakpoints({ nodes, options, onChange }: BreakpointsProps) {
  const id = useId();
  if (nodes.length === 0) return null;
  const { interrupt_before, interrupt_after } = options;
  return (
    <>
      <span class="label" id={id}>
        {l10n.t('Breakpoints')}
      </span>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in the grid */}
      <div class="breakpoints" role="group" aria-labelledby={id}>
        <table>
          <thead>
            <tr>
              <th scope="col">{l10n.t('Node')}</th>
              <th scope="col">{l10n.t('Before')}</th>
              <th scope="col">{l10n.t('After')}</th>
            </tr>
          </thead>
          <tbody>
            {nodes.map((node) => (
              <tr key={node}>
                <th scope="row">{node}</th>
                <td>
                  <input
                    type="checkbox"
                    aria-label={l10n.t('Stop before {0}', node)}
                    checked={interrupt_before.includes(node)}
                    onChange={() => onChange({ interrupt_before: toggle(interrupt_before, node) })}
                  />
                </td>
                <td>
                  <input
                    type="checkbox"
                    aria-label={l10n.t('Stop after {0}', node)}
                    checked={interrupt_after.includes(node)}
                    onChange={() => onChange({ interrupt_after: toggle(interrupt_after, node) })}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
