// Imported before a program that a test measures: tells on descriptor 3, at its end, what the process took.
import { writeSync } from 'node:fs';

process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  const usage = { memoryMb: maxRSS / 1024, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6 };
  writeSync(3, JSON.stringify(usage));
});
