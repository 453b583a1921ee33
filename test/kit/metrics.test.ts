import hooks from 'node:perf_hooks'
import { expect, test, vi } from 'vitest'
import { askedSeldom, boundedLabel, createMetrics } from '../../src/kit/process/metrics.ts'

const linesOf = async (metrics: ReturnType<typeof createMetrics>, name: string) =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(name))

test('a gauge is asked when somebody looks, and is silent while it has no answer', async () => {
  const metrics = createMetrics('test')
  let answer: () => Promise<Array<{ labels: { state: string }; value: number }>> = async () => [
    { labels: { state: 'open' }, value: 3 },
  ]
  metrics.storeGauge('things', 'Things.', { labels: ['state'], read: () => answer() })

  expect(await linesOf(metrics, 'test_things')).toEqual(['test_things{state="open"} 3'])

  answer = () => Promise.reject(new Error('away'))

  expect(await linesOf(metrics, 'test_things')).toEqual([])
})

test('a gauge without labels is silent, too, and not zero', async () => {
  const metrics = createMetrics('test')
  metrics.gauge('things', 'Things.', { read: () => Promise.reject(new Error('away')) })

  expect(await linesOf(metrics, 'test_things')).toEqual([])
})

test('what looks at the process itself looks once, however many programs are opened in it', async () => {
  const looks = vi.spyOn(hooks, 'monitorEventLoopDelay')
  const [first, second] = [createMetrics('opened'), createMetrics('opened')]
  second.counter('things', 'Things.', [])

  expect(looks).toHaveBeenCalledTimes(1)
  expect(await linesOf(first, 'opened_nodejs_eventloop_lag_seconds')).toHaveLength(1)
  expect(await linesOf(second, 'opened_nodejs_eventloop_lag_seconds')).toHaveLength(1)
  expect(await linesOf(first, 'opened_things')).toEqual([])
  looks.mockRestore()
})

test('values that somebody else chooses have so many series and no more', () => {
  const label = boundedLabel(2)

  expect(['a', 'b', 'c', 'a', 'd'].map(label)).toEqual(['a', 'b', 'other', 'a', 'other'])
})

test('a question is asked once in its time, whoever looks, and a failure is not remembered', async () => {
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
