import {
  type Dependency,
  lockFileText,
  productionDependencies,
} from './production-dependencies.ts';

/** `docs/licences.md`: under which licence each package stands that is installed with the harness. */
export function licencesPage(): string[] {
  return licenceLines(productionDependencies(lockFileText()));
}

/** As `licencesPage`, of these packages. */
export function licenceLines(dependencies: readonly Dependency[]): string[] {
  const byLicence = new Map<string, number>();
  for (const { licence = NONE } of dependencies) {
    byLicence.set(licence, (byLicence.get(licence) ?? 0) + 1);
  }
  const counts = [...byLicence].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
  const optional = dependencies.filter((one) => one.optional).length;
  return [
    '# Licences',
    '',
    `The harness itself is MIT. With it come ${dependencies.length} packages, those included that its own dependencies need; ${optional} of them are optional: built for one platform, or done without where they cannot be had. None is copied into the harness: npm installs them as their authors published them, with the text of their licence.`,
    '',
    '| licence | packages |',
    '|---|---:|',
    ...counts.map(([licence, count]) => `| ${licence} | ${count} |`),
    '',
    'Bold: named by the harness itself.',
    '',
    '| package | version | licence | |',
    '|---|---|---|---|',
    ...dependencies.map(({ name, version, licence = NONE, optional: isOptional, direct }) => {
      const shown = direct ? `**${name}**` : name;
      return `| ${shown} | ${version} | ${licence} | ${isOptional ? 'optional' : ''} |`;
    }),
  ];
}

const NONE = 'none stated';
