// Tenants write schedules, and every process checks all of them every few seconds.
import { Cron } from 'croner'
import { afterEach, expect, test, vi } from 'vitest'
import { fireDue } from '../../../src/platform/shared/flows/fire-due.ts'

afterEach(() => void vi.restoreAllMocks())

const cron = (schedule: string) => ({ type: 'cron', enabled: true, configuration: { schedule } })
const updatedAt = new Date('2026-05-01T10:00:10Z')

function clockOf(schedules: string[], updated = updatedAt) {
  const fired: string[] = []
  let now = updatedAt
  const turn = fireDue({
    withSchedules: async () => [{ triggers: schedules.map(cron), updatedAt: updated }],
    fire: async (_workload, { at, due }) => void fired.push(`${at} ${due.toISOString().slice(11, 16)}`),
    log() {},
    now: () => now,
  })
  return {
    async at(time: string): Promise<string[]> {
      now = new Date(`2026-05-01T${time}Z`)
      await turn()
      return fired.splice(0)
    },
  }
}

test('A4: schedules that are not due are searched once, not at every check', async () => {
  const clock = clockOf(['0 0 29 2 1#5', 'CRON_TZ=Europe/Rome 0 0 29 2 +1', '0 0 30 2 *'])
  await clock.at('10:00:15')
  const searches = vi.spyOn(Cron.prototype, 'nextRun')

  for (const second of [20, 25, 30, 35, 40]) await clock.at(`10:00:${second}`)

  expect(searches).not.toHaveBeenCalled()
})

test('A4: a due time is reported until the look-back ends, and the next one when due', async () => {
  const clock = clockOf(['*/20 * * * *', '* * * * *'], new Date('2026-05-01T09:00:00Z'))

  expect(await clock.at('10:01:00')).toEqual(['0 10:00', '1 10:01'])
  expect(await clock.at('10:01:55')).toEqual(['0 10:00', '1 10:01'])
  expect(await clock.at('10:02:00')).toEqual(['0 10:00', '1 10:02'])
  expect(await clock.at('10:11:00')).toEqual(['1 10:11'])
  expect(await clock.at('10:20:00')).toEqual(['0 10:20', '1 10:20'])
  expect(await clock.at('15:05:00')).toEqual(['0 15:00', '1 15:05'])
  expect(await clock.at('14:50:30')).toEqual(['1 14:50'])
})

test('A4: a schedule does not apply to the time before it was set', async () => {
  const clock = clockOf(['* * * * *'])

  expect(await clock.at('10:00:59')).toEqual([])
  expect(await clock.at('10:01:00')).toEqual(['0 10:01'])
})
