// The scale of a chart that counts things.

const mostSteps = 4

/** Round numbers from zero to the first at or above the highest count; `y` in percent of the height, from the top. */
export function countAxis(highest: number) {
  const step = stepFor(highest)
  const top = Math.ceil(highest / step) * step
  const counts = Array.from({ length: top / step + 1 }, (_, at) => at * step)
  return { top, ticks: counts.map((count) => ({ count, y: (100 - (count / top) * 100).toFixed(2) })) }
}

/** 1, 2 or 5 with zeros behind it, and never less than one: there are no half links. */
function stepFor(highest: number): number {
  const least = Math.max(1, highest / mostSteps)
  const power = 10 ** Math.floor(Math.log10(least))
  return ([1, 2, 5, 10].find((each) => each * power >= least) ?? 10) * power
}
