import * as l10n from '@vscode/l10n';
import type { RunPanelState } from '../../../extension/panels/run/messages.ts';
import { Action } from '../../shared/action.tsx';
import type { PanelProps } from '../panel-props.ts';

/** The factor by which a button or a turn of the wheel zooms. */
export const ZOOM_STEP = 1.2;

interface GraphToolsProps extends PanelProps {
  readonly zoom: number;
  readonly onZoom: (zoom: number) => void;
}

/** The toolbar of the diagram: subgraphs, zoom, size, and colors. */
export function GraphTools({ store, view, zoom, onZoom }: GraphToolsProps) {
  const { heat, unfolded, wide } = view.saved;
  return (
    <div class="graph-tools" role="toolbar" aria-label={l10n.t('Graph diagram options')}>
      <Action
        icon={unfolded ? 'fold' : 'unfold'}
        label={unfolded ? l10n.t('Collapse Subgraphs') : l10n.t('Expand Subgraphs')}
        onClick={() => store.save({ unfolded: !unfolded })}
      />
      <Action icon="zoom-in" label={l10n.t('Zoom In')} onClick={() => onZoom(zoom * ZOOM_STEP)} />
      <Action icon="zoom-out" label={l10n.t('Zoom Out')} onClick={() => onZoom(zoom / ZOOM_STEP)} />
      <Action icon="target" label={l10n.t('Zoom to Fit')} onClick={() => store.save({ zoom: undefined })} />
      <Action
        icon={wide ? 'screen-normal' : 'screen-full'}
        label={wide ? l10n.t('Show Output Beside Graph') : l10n.t('Show Graph Only')}
        onClick={() => store.save({ wide: !wide })}
      />
      <select
        aria-label={l10n.t('Color nodes by')}
        title={l10n.t('Color nodes by')}
        value={heat}
        onChange={(event) => store.save({ heat: heatFrom(event.currentTarget.value) })}
      >
        <option value="none">{l10n.t('None')}</option>
        <option value="time">{l10n.t('Time')}</option>
        <option value="tokens">{l10n.t('Tokens')}</option>
        <option value="errors">{l10n.t('Errors')}</option>
      </select>
    </div>
  );
}

function heatFrom(value: string): RunPanelState['heat'] {
  return value === 'time' || value === 'tokens' || value === 'errors' ? value : 'none';
}
