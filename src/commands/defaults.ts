/** Folders of the project that a sweep uses when nothing else is said. */
export const CONFIG_FOLDER = 'sweeps';
export const DEFAULT_TRANSCRIPTS = 'fixtures/transcripts';
export const RUNS_FOLDER = 'results/runs';

/** The config that every sweep runs and that the others are held against. */
export const BASELINE = 'baseline';
