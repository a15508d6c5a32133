/** A text of the code's own as a cell of a Markdown table: code spans stay, pipes and tags are escaped. */
export function ownText(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replace(/[<*]/g, '\\$&')))
    .join('')
    .replaceAll('|', '\\|');
}
