/** The datasets of the open folders. */
export const DATASETS_PATTERN = '**/*.dataset.jsonl';
export const EXCLUDED_FOLDERS = '**/{node_modules,.git,.venv,venv,dist,build}/**';
