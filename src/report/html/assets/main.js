import { renderCell } from './cell.js';
import { byId, sortTable } from './dom.js';
import { conditionsOf, showRows, startRows } from './rows.js';

const THEMES = ['auto', 'dark', 'light'];

function startTheme() {
  const button = byId('theme');
  const root = document.documentElement;
  const apply = (theme) => {
    if (theme === 'auto') root.removeAttribute('data-theme');
    else root.setAttribute('data-theme', theme);
    button.textContent = `Theme: ${theme}`;
  };
  let theme = 'auto';
  try {
    theme = localStorage.getItem('report-theme') ?? 'auto';
  } catch {
    // A page without storage has the system's theme each time.
  }
  apply(THEMES.includes(theme) ? theme : 'auto');
  button.addEventListener('click', () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    apply(theme);
    try {
      localStorage.setItem('report-theme', theme);
    } catch {
      // As above.
    }
  });
}

function startSorting() {
  for (const table of document.querySelectorAll('table.sortable')) {
    const heads = [...table.tHead.rows[0].cells];
    for (const [column, head] of heads.entries()) {
      head.querySelector('button')?.addEventListener('click', () => {
        const now = head.getAttribute('aria-sort');
        const isText = head.classList.contains('left');
        const descending = now === null ? !isText : now === 'ascending';
        for (const other of heads) other.removeAttribute('aria-sort');
        head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
        sortTable(table, column, descending);
      });
    }
  }
}

const dialog = byId('cell');
let hashBefore = '';

/** `#cell?12&3` → row 12, request 3. */
function cellOf(hash) {
  const match = /^#cell\?(\d{1,9})(?:&(\d{1,9}))?$/.exec(hash);
  if (match === null) return undefined;
  return [Number(match[1]), match[2] === undefined ? undefined : Number(match[2])];
}

function follow(event) {
  const { hash } = location;
  const cell = cellOf(hash);
  if (cell !== undefined) {
    const from = event?.oldURL === undefined ? '' : new URL(event.oldURL).hash;
    if (cellOf(from) === undefined) hashBefore = from;
    renderCell(...cell);
    if (!dialog.open) dialog.showModal();
    byId('cell-title').focus();
    return;
  }
  if (dialog.open) dialog.close();
  const conditions = conditionsOf(hash);
  if (conditions === undefined) return;
  showRows(conditions);
  byId('rows').scrollIntoView();
  byId('rows-title').focus({ preventScroll: true });
}

function startCells() {
  byId('cell-close').addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => {
    if (cellOf(location.hash) !== undefined) {
      history.replaceState(null, '', hashBefore === '' ? '#rows' : hashBefore);
    }
  });
  addEventListener('hashchange', follow);
  // The same link twice changes no hash.
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
    if (link !== null && link.getAttribute('href') === location.hash) follow();
  });
}

/** Marks the section that is read in the navigation. */
function startNavigation() {
  const links = new Map(
    [...document.querySelectorAll('nav a')].map((link) => [
      link.getAttribute('href').slice(1),
      link,
    ]),
  );
  const watcher = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        for (const link of links.values()) link.removeAttribute('aria-current');
        links.get(target.id)?.setAttribute('aria-current', 'true');
      }
    },
    { rootMargin: '-15% 0px -75% 0px' },
  );
  for (const section of document.querySelectorAll('main > section')) watcher.observe(section);
}

startTheme();
startSorting();
startRows();
startCells();
startNavigation();
follow();
