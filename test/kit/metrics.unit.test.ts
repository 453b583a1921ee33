import hooks from 'node:perf_hooks'
import { expect, test, vi } from 'vitest'
import { askedSeldom, boundedLabel, createMetrics } from '../../src/kit/process/metrics.ts'

const things = { name: 'things', type: 'gauge', labels: [], help: 'Things.' } as const

const linesOf = async (metrics: ReturnType<typeof createMetrics>, name: string) =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(name))

test('a gauge is read at each scrape, and omitted if that fails', async () => {
  const metrics = createMetrics('test')
  let answer: () => Promise<Array<{ labels: { state: string }; value: number }>> = async () => [
    { labels: { state: 'open' }, value: 3 },
  ]
  metrics.gauge({ ...things, labels: ['state'], fromStore: true }, { read: () => answer() })

  expect(await linesOf(metrics, 'test_things')).toEqual(['test_things{state="open"} 3'])

  answer = () => Promise.reject(new Error('away'))

  expect(await linesOf(metrics, 'test_things')).toEqual([])
})

test('a gauge without labels is omitted instead of zero', async () => {
  const metrics = createMetrics('test')
  metrics.gauge(things, { read: () => Promise.reject(new Error('away')) })

  expect(await linesOf(metrics, 'test_things')).toEqual([])
})

test('process metrics are collected once, however many programs run in the process', async () => {
  const looks = vi.spyOn(hooks, 'monitorEventLoopDelay')
  const [first, second] = [createMetrics('opened'), createMetrics('opened')]
  second.counter({ ...things, type: 'counter' })

  expect(looks).toHaveBeenCalledTimes(1)
  expect(await linesOf(first, 'opened_nodejs_eventloop_lag_seconds')).toHaveLength(1)
  expect(await linesOf(second, 'opened_nodejs_eventloop_lag_seconds')).toHaveLength(1)
  expect(await linesOf(first, 'opened_things')).toEqual([])
  looks.mockRestore()
})

test('open label values have a max number of series', () => {
  const label = boundedLabel(2)

  expect(['a', 'b', 'c', 'a', 'd'].map(label)).toEqual(['a', 'b', 'other', 'a', 'other'])
})

test('a result is cached for its time, and a failure is not', async () => {
  let [time, asked, fails] = [0, 0, false]
  const ask = askedSeldom(
    async () => {
      asked++
      if (fails) throw new Error('away')
      return asked
    },
    1_000,
    () => time,
  )

  expect(await Promise.all([ask(), ask()])).toEqual([1, 1])
  time = 1_000
  fails = true
  await expect(ask()).rejects.toThrow('away')
  fails = false

  expect(await ask()).toBe(3)
})
