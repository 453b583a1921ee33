import { expect, test } from 'vitest'
import { within } from '../../src/kit/process/background-work.ts'
import { stallProofTimeout } from '../../src/kit/process/stall-proof-timeout.ts'

/** As if the machine had no time for this process. */
function standStill(ms: number) {
  for (const until = performance.now() + ms; performance.now() < until; );
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

test('a limit passes in its time, and not when it was taken back', async () => {
  const since = performance.now()
  const acts: string[] = []
  const clear = stallProofTimeout(50, () => acts.push('taken back'))
  clear()

  await new Promise<void>((resolve) => void stallProofTimeout(200, resolve))

  expect(performance.now() - since).toBeGreaterThanOrEqual(195)
  expect(acts).toEqual([])
})

test('a process that stood still past a limit still waits for a while', async () => {
  let isOver = false
  const over = new Promise<void>((resolve) => {
    stallProofTimeout(400, () => {
      isOver = true
      resolve()
    })
  })

  standStill(500)
  await nextTurn() // timers come first
  const rightAfter = isOver
  await over

  expect(rightAfter).toBe(false)
})

test('work that was nearly done when the process stood still is in time', async () => {
  const work = async () => {
    await new Promise((resolve) => setTimeout(resolve, 180))
    for (let turns = 0; turns < 5; turns++) await nextTurn()
    return 'done'
  }
  const answer = within(work(), 300)

  standStill(450)

  expect(await answer).toBe('done')
})
