/** Folders of the project that a sweep uses when nothing else is said. */
export const CONFIG_FOLDER = 'sweeps';
export const DEFAULT_TRANSCRIPTS = 'fixtures/transcripts';
export const RUNS_FOLDER = 'results/runs';
export const RESULTS_FOLDER = 'results';

/** The config that every sweep runs and that the others are held against. */
export const BASELINE = 'baseline';

/** What `--controls` adds to each config: the same tokens by plain forgetting, and by chance. */
export const CONTROLS = ['control-recency', 'control-random_drop'];
