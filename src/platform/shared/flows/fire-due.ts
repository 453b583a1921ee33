import { LRUCache } from 'lru-cache'
import { describeError, type Log } from '../../../kit/process/log.ts'
import type { Trigger } from '../domain/callback.ts'
import { latestDue, parseSchedule, type Schedule } from '../domain/cron.ts'

/** A workload that a clock starts. */
type ScheduledWorkload = { triggers: readonly Trigger[]; updatedAt: Date }

/** `at`: which of its triggers it is. */
export type Fire = { at: number; trigger: Trigger; due: Date }

type Needs<W> = {
  /** Of every workspace: the service's own view. */
  withSchedules(): Promise<W[]>
  /** Called by every process that finds it due, again and again: it does it once. */
  fire(workload: W, fire: Fire): Promise<void>
  log: Pick<Log, 'warn'>
  now: () => Date
}

/** What was due while no process ran is made good for this long, and once, however often it was due. */
const lookBackMs = 10 * 60_000

/** Starts what the clock says. Every process looks; what cannot be started keeps none of the others waiting. */
export const fireDue = <W extends ScheduledWorkload>({
  withSchedules,
  fire,
  log,
  now,
}: Needs<W>): (() => Promise<void>) => {
  const scheduleOf = rememberedSchedules()
  return async () => {
    for (const workload of await withSchedules()) {
      for (const due of dueTriggers(workload)) {
        await fire(workload, due).catch((error) =>
          log.warn('a trigger could not be fired', { code: describeError(error) }),
        )
      }
    }
  }

  function dueTriggers({ triggers, updatedAt }: W): Fire[] {
    return triggers.flatMap((trigger, at) => {
      const { type, enabled, configuration } = trigger
      const schedule = type === 'cron' && enabled ? scheduleOf(configuration.schedule ?? '') : undefined
      const due = schedule && dueSince(updatedAt, schedule, now())
      return due ? [{ at, trigger, due }] : []
    })
  }
}

/** Names the minute, so that all who come to it use one id. */
export const minuteOf = (due: Date): string => due.toISOString().replace(/\D/g, '').slice(0, 12)

/** Reading a schedule takes five times as long as asking it, and every workload is asked every few seconds. */
function rememberedSchedules(): (text: string) => Schedule | undefined {
  const known = new LRUCache<string, { schedule: Schedule | undefined }>({ max: 10_000 })
  return (text) => {
    const found = known.get(text) ?? { schedule: parseSchedule(text) }
    known.set(text, found)
    return found.schedule
  }
}

/** Not before the workload had its present form: a new schedule says nothing about the past. */
function dueSince(updatedAt: Date, schedule: Schedule, now: Date): Date | undefined {
  const from = new Date(Math.max(updatedAt.getTime(), now.getTime() - lookBackMs))
  return latestDue(schedule, from, now)
}
