import type { GateFinding } from '../../report/gate.ts';

/** What the gate found, with the command that shows each finding again. */
export interface GateReport {
  readonly findings: readonly (GateFinding & { readonly command: string })[];
  /** What was done, a line each. */
  readonly lines: readonly string[];
}

/** How many findings are printed whole; the rest are counted. */
const SHOWN = 12;

/** One page: what was done, what failed, and how to see it again. */
export function gatePage({ findings, lines }: GateReport): string {
  const failed = findings.filter(({ severity }) => severity === 'fail');
  const open = findings.filter(({ severity }) => severity === 'inconclusive');
  const page = [...lines, ''];
  for (const finding of findings.filter(({ severity }) => severity === 'notice')) {
    page.push(`notice  ${finding.message}`);
  }
  for (const finding of [...failed, ...open].slice(0, SHOWN)) {
    page.push(
      `${finding.severity === 'fail' ? 'FAIL' : 'OPEN'}  ${finding.check}: ${finding.subject}`,
    );
    for (const line of finding.message.split('\n').slice(0, 20)) page.push(`      ${line}`);
    if (finding.command !== '') page.push(`      see it: ${finding.command}`);
  }
  const hidden = failed.length + open.length - SHOWN;
  if (hidden > 0) page.push(`…     and ${hidden} more: --json or --junit FILE has them all`);
  page.push(`gate: ${failed.length} failed, ${open.length} inconclusive`);
  return `${page.join('\n')}\n`;
}

/** JUnit XML: one test case a finding, and one that passed where there is none. */
export function junitXml({ findings }: GateReport): string {
  const failed = findings.filter(({ severity }) => severity !== 'notice');
  const cases = failed.map(
    ({ check, subject, message, command }) =>
      `    <testcase classname="gate.${xml(check)}" name="${xml(subject)}">\n` +
      `      <failure message="${xml(message.split('\n')[0] ?? '')}">${xml(`${message}\n${command}`)}</failure>\n` +
      '    </testcase>\n',
  );
  if (cases.length === 0) cases.push('    <testcase classname="gate" name="gate"/>\n');
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<testsuites>\n  <testsuite name="gate" tests="${cases.length}" failures="${failed.length}">\n` +
    `${cases.join('')}  </testsuite>\n</testsuites>\n`
  );
}

/** Workflow commands that GitHub shows beside the pull request. */
export function githubLines({ findings }: GateReport): string {
  return findings
    .map(({ severity, check, subject, message, command }) => {
      const level = severity === 'fail' ? 'error' : severity === 'notice' ? 'notice' : 'warning';
      return `::${level} title=${property(`gate ${check}`)}::${data(`${subject}: ${message}\n${command}`)}\n`;
    })
    .join('');
}

function xml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]/g, '\ufffd')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;');
}

function data(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function property(text: string): string {
  return data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}
