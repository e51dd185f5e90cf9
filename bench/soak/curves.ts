const WIDTH = 760;
const HEIGHT = 120;
const LEFT = 60;
const GAP = 50;

/** Values over minutes. */
interface Curve {
  readonly name: string;
  readonly points: readonly (readonly [minutes: number, value: number])[];
}

/** Draws values over time as a picture (SVG), one curve below the other, each from zero. */
export function drawCurves(curves: readonly Curve[]): string {
  const height = curves.length * (HEIGHT + GAP) + GAP;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH + LEFT + 20} ${height}" font-family="sans-serif" font-size="13">`,
    `<rect width="100%" height="${height}" fill="#ffffff"/>`,
    ...curves.map(
      (curve, index) =>
        `<g transform="translate(${LEFT} ${GAP + index * (HEIGHT + GAP)})">\n${draw(curve)}\n</g>`,
    ),
    '</svg>',
    '',
  ].join('\n');
}

function draw({ name, points }: Curve): string {
  const last = points.at(-1)?.[0] ?? 0;
  const most = Math.max(...points.map(([, value]) => value));
  const path = points
    .map(
      ([minutes, value]) =>
        `${((minutes / last) * WIDTH).toFixed(1)},${((1 - value / most) * HEIGHT).toFixed(1)}`,
    )
    .join(' ');
  return [
    `<text x="0" y="-8">${name}</text>`,
    `<text x="-6" y="5" text-anchor="end">${most.toFixed(0)}</text>`,
    `<text x="-6" y="${HEIGHT}" text-anchor="end">0</text>`,
    `<text x="${WIDTH}" y="${HEIGHT + 16}" text-anchor="end">${last.toFixed(0)} minutes</text>`,
    `<path d="M0 0V${HEIGHT}H${WIDTH}" fill="none" stroke="#9e9e9e"/>`,
    `<polyline points="${path}" fill="none" stroke="#2e7d32" stroke-width="1.5"/>`,
  ].join('\n');
}
