import { expect, test } from 'vitest'
import { simulate } from '../support/simulation/simulate.ts'

test('100 schedules break no promise', async () => {
  const broken: string[] = []
  for (let seed = 0; seed < 100; seed++) {
    const { violations } = await simulate(seed)
    broken.push(...violations.map((each) => `npm run simulate -- --seed ${seed}: ${each}`))
  }

  expect(broken).toEqual([])
}, 120_000)

test('a seed repeats its schedule', async () => {
  expect(await simulate(2685)).toEqual(await simulate(2685))
})
