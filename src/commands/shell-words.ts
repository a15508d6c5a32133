/** A word as a shell takes it: bare where nothing in it is special, else in single quotes. */
export function shellWord(text: string): string {
  return /^[\w./:=@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
