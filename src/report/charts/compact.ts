/** A figure in a few characters, for axes and labels: `0`, `950`, `12.5k`, `1.2M`. */
export function compact(value: number): string {
  const size = Math.abs(value);
  const [scale, unit] = size >= 1e6 ? [1e6, 'M'] : size >= 1e3 ? [1e3, 'k'] : [1, ''];
  const scaled = size / scale;
  const digits = unit === '' ? (Number.isInteger(scaled) ? 0 : 2) : scaled < 100 ? 1 : 0;
  const text = scaled.toFixed(digits).replace(/\.0$/, '');
  return `${value < 0 ? '−' : ''}${text}${unit}`;
}
