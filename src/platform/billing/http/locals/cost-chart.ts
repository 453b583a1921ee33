// Geometry of a stacked column chart. Widths are percentages and heights are pixels, so text keeps its size.
import type { Resolution } from '../../../../contract/billing/metrics.ts'
import { money, moneyBySteps } from './amounts.ts'
import { bucketName, hour, shortDay } from './cost-words.ts'

/** `tone` names a colour. Costs are in bucket order. */
export type Series = { label: string; tone: string; costs: number[] }

type Segment = { y: string; height: string; tone: string; title: string }

type CostChart = {
  scaleWidth: number
  ticks: Array<{ y: string; textY: string; label: string }>
  columns: Array<{ x: string; width: string; segments: Segment[] }>
  labels: Array<{ x: string; anchor: 'start' | 'middle' | 'end'; text: string; isExtra: boolean }>
}

/** Must match the template, which adds room for the labels. */
const plotHeight = 240
const top = 10

export function costChart(series: readonly Series[], buckets: readonly Date[], resolution: Resolution): CostChart {
  const totals = buckets.map((_, at) => series.reduce((sum, { costs }) => sum + (costs[at] ?? 0), 0))
  const { step, count } = scaleOf(Math.max(...totals))
  const yOf = (cost: number) => plotHeight - (cost / (step * count)) * (plotHeight - top)
  const pitch = 100 / buckets.length
  const ticks = Array.from({ length: count + 1 }, (_, n) => ({
    y: yOf(n * step).toFixed(1),
    textY: (yOf(n * step) + 4).toFixed(1),
    label: moneyBySteps(n * step, step),
  }))
  return {
    scaleWidth: 8 * Math.max(...ticks.map(({ label }) => label.length)),
    ticks,
    columns: buckets.map((bucket, at) => ({
      x: `${(pitch * (at + 0.09)).toFixed(3)}%`,
      width: `${(pitch * 0.82).toFixed(3)}%`,
      segments: stack(series, at, yOf, `${bucketName(bucket, resolution)}, ${money(totals[at] ?? 0)} in all`),
    })),
    labels: labelsOf(buckets, resolution, pitch),
  }
}

/** A few ticks at round numbers. The epsilons keep rounding from adding an empty tick. */
function scaleOf(highest: number): { step: number; count: number } {
  if (!(highest > 0)) return { step: 1, count: 1 }
  const power = 10 ** Math.floor(Math.log10(highest / 4))
  const step = power * ([1, 2, 2.5, 5].find((factor) => factor * power * 4 >= highest * (1 - 1e-9)) ?? 10)
  return { step, count: Math.ceil(highest / step - 1e-9) }
}

const gap = 1

function stack(series: readonly Series[], at: number, yOf: (cost: number) => number, when: string): Segment[] {
  let below = 0
  return series.flatMap(({ label, tone, costs }) => {
    const cost = costs[at] ?? 0
    const [low, high] = [yOf(below), yOf(below + cost)]
    below += cost
    const height = low - high > 3 ? low - high - gap : low - high
    return cost > 0
      ? [{ y: high.toFixed(1), height: height.toFixed(1), tone, title: `${label}: ${money(cost)}. ${when}` }]
      : []
  })
}

const maxLabels = 6

function labelsOf(buckets: readonly Date[], resolution: Resolution, pitch: number): CostChart['labels'] {
  const marked = [...buckets.entries()].filter(([, at]) => isMark(at, buckets.length, resolution))
  const every = Math.ceil(marked.length / maxLabels)
  return marked.flatMap(([index, at], n) => {
    const x = pitch * (index + 0.5)
    const anchor = x < 6 ? 'start' : x > 94 ? 'end' : 'middle'
    const text = markText(at, buckets.length, resolution)
    return n % every === 0 ? [{ x: `${x.toFixed(3)}%`, anchor, text, isExtra: (n / every) % 2 === 1 }] : []
  })
}

/** With hours of more than two days, only midnight is marked. */
const isMark = (at: Date, count: number, resolution: Resolution) =>
  resolution !== 'hourly' || count <= 48 || at.getUTCHours() === 0

function markText(at: Date, count: number, resolution: Resolution): string {
  if (resolution === 'hourly') return count > 48 || at.getUTCHours() === 0 ? shortDay(at) : hour(at)
  return resolution === 'monthly' ? bucketName(at, resolution) : shortDay(at)
}
