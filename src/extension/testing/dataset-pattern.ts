/** The dataset files of the open folders. */
export const DATASETS_PATTERN = '**/*.dataset.jsonl';
