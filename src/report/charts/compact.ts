/** A figure in a few characters, for axes and labels: `0`, `950`, `12.5k`, `1.2M`. */
export function compact(value: number): string {
  const { scale, unit } = unitOf(value);
  const scaled = Math.abs(value) / scale;
  const digits = unit === '' ? (Number.isInteger(scaled) ? 0 : 2) : scaled < 100 ? 1 : 0;
  const text = scaled.toFixed(digits).replace(/\.0$/, '');
  return `${value < 0 ? '−' : ''}${text}${unit}`;
}

/** As `compact`, with the digits that tell the ticks of an axis from `low` to `high` apart. */
export function compactTicks(low: number, high: number, ticks: number): (value: number) => string {
  const step = 10 ** Math.floor(Math.log10((high - low) / ticks || 1));
  return (value) => {
    const { scale, unit } = unitOf(value);
    const digits = Math.min(6, Math.max(0, Math.ceil(Math.log10(scale / step) - 1e-9)));
    const text = (Math.abs(value) / scale).toFixed(digits);
    const short = digits === 0 ? text : text.replace(/\.?0+$/, '');
    return `${value < 0 ? '−' : ''}${short}${unit}`;
  };
}

function unitOf(value: number): { readonly scale: number; readonly unit: string } {
  const size = Math.abs(value);
  if (size >= 1e6) return { scale: 1e6, unit: 'M' };
  return size >= 1e3 ? { scale: 1e3, unit: 'k' } : { scale: 1, unit: '' };
}
