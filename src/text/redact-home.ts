import type { SecretPattern, Stretch } from './redact-patterns.ts';

/** Accounts that say nothing of a person. */
const GENERIC = new Set(
  `admin administrator agent all-users app build circleci claude coder codespace daemon data debian default dev
  developer docker ec2-user engine git github gitpod guest home host jenkins jovyan kali lib linuxbrew main me model
  name node nobody openhands oracle page pi postgres project public pwuser python repo repos root runner sandbox
  server service shared src staff swe swe-agent sysadmin system test tester testbed testuser tmp tool travis ubuntu
  user username users vagrant vscode web workspace www www-data you your-name your-username yourname
  yourusername`
    .split(/\s+/)
    .filter((name) => name !== ''),
);

/** Whose home a path is in, of Linux and macOS, as it is or as a folder's name; and of Windows. */
const HOMES: readonly RegExp[] = [
  /(?<=(?<![\w.%-])(?:\/(?:var|export|usr|mnt|host|private|System\/Volumes\/Data))?\/(?:home|Users)\/)[\p{L}_][\p{L}\p{M}\p{N}_.-]{1,63}/gu,
  /(?<=[\\/]{1,4}(?:Users|Documents and Settings)[\\/]{1,4})[\p{L}_][^\\/:*?"<>|\s]{1,63}(?: [^\\/:*?"<>|\s]{1,30}(?=[\\/]))?/gu,
  /(?<=(?<![A-Za-z0-9])-(?:home|Users)-)[\p{L}_][\p{L}\p{N}_]{1,63}(?=-)/gu,
];

/** Names of users, by the home directories that a text names; accounts of machines are left out. */
export const homePattern: SecretPattern = {
  kind: 'user',
  telling: false,
  *find(text): Generator<Stretch> {
    if (!/home|Users|Documents and Settings/.test(text)) return;
    for (const pattern of HOMES) {
      for (const { 0: whole, index } of text.matchAll(pattern)) {
        const name = whole.replace(/[.-]+$/, '');
        if (name.length < 3 || GENERIC.has(name.toLowerCase())) continue;
        if (/REDACTED_|^person[a-z]{8}$/i.test(name)) continue;
        yield { start: index, end: index + name.length };
      }
    }
  },
};
