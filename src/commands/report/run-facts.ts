import { basename } from 'node:path';
import type { ReportConfig, ReportRun } from '../../report/html/report-input.ts';
import { type LoadedRun, modelOfRun, type RunRow } from './runs.ts';

/** A title from the names of the runs, their times left out. */
export function titleOf(runs: readonly LoadedRun[]): string {
  const names = runs.map(({ csv }) =>
    basename(csv, '.csv').replace(/^\d{4}-\d\d-\d\d(?:T\d\d-\d\d-\d\d)?-/, ''),
  );
  return `Compaction report: ${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`;
}

/** @param spell makes a text fit to be shown */
export function reportRun(
  { file, rows, manifest }: LoadedRun,
  spell: (text: string) => string,
): ReportRun {
  const [first] = rows;
  const { revision, options } = manifest ?? {};
  return {
    file: spell(file),
    status: manifest?.status ?? 'no manifest',
    started: spell(manifest?.started ?? ''),
    model: spell(modelOfRun({ rows })),
    tokenizer: first?.tokenizer ?? '',
    expand: spell(options?.expand ?? 'not known'),
    guard: options?.guard ?? true,
    patterns: (manifest?.transcripts.patterns ?? []).map(spell),
    harness: spell(manifest?.versions.harness ?? 'not known'),
    revision:
      revision === undefined
        ? undefined
        : spell(`${revision.commit.slice(0, 12)}${revision.dirty ? ' with changes' : ''}`),
  };
}

/** Documents of the configs by the names that they have in the report. */
export function configsIn(
  merged: readonly RunRow[],
  spell: (text: string) => string,
  spellText: (text: string) => string,
): ReportConfig[] {
  const found = new Map<string, ReportConfig>();
  for (const { run, row, config } of merged) {
    if (found.has(config)) continue;
    const entry = run.manifest?.configs.find(({ name }) => name === row.config);
    if (entry === undefined) continue;
    const { about, source, text } = entry;
    found.set(config, {
      name: spell(config),
      about: spell(about),
      source: spell(source),
      text: spellText(text),
    });
  }
  return [...found.values()];
}
