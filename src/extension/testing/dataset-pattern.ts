/** The pattern of dataset files in the open folders. */
export const DATASETS_PATTERN = '**/*.dataset.jsonl';
