import { spelled } from './data.js';
import { makeSvg } from './dom.js';

const HEIGHT = 90;
const STEP = 10;

/** Tokens of each request as bars: as recorded behind, as sent before it; a bar chooses its request. */
export function curveOf(requests, chosen, choose) {
  const most = Math.max(1, ...requests.map(({ before, after }) => Math.max(before, after)));
  const width = requests.length * STEP;
  const bar = (index, tokens, name) => {
    const height = (tokens / most) * (HEIGHT - 2);
    return makeSvg('rect', {
      class: name,
      x: index * STEP + 1,
      y: HEIGHT - height,
      width: STEP - 2,
      height,
    });
  };
  const svg = makeSvg('svg', {
    class: 'curve',
    viewBox: `0 0 ${width} ${HEIGHT}`,
    preserveAspectRatio: 'none',
    'aria-hidden': 'true',
  });
  for (const [index, { before, after }] of requests.entries()) {
    const title = makeSvg('title', {});
    title.textContent = `request ${index}: ${spelled(before)} → ${spelled(after)} tokens`;
    const group = makeSvg(
      'g',
      {},
      title,
      bar(index, before, 'bar-before'),
      bar(index, after, 'bar-after'),
    );
    if (index === chosen) {
      group.append(
        makeSvg('rect', {
          class: 'bar-now',
          x: index * STEP,
          y: 1,
          width: STEP,
          height: HEIGHT - 2,
          'vector-effect': 'non-scaling-stroke',
        }),
      );
    }
    group.addEventListener('click', () => choose(index));
    svg.append(group);
  }
  return svg;
}
