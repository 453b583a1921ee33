import { LRUCache } from 'lru-cache'
import { atMost } from '../../../kit/cache/ttl-cache.ts'
import { describeError, type Log } from '../../../kit/process/log.ts'
import type { Trigger } from '../domain/callback.ts'
import { type DueTimes, dueTimes, parseSchedule, type Schedule } from '../domain/cron.ts'

/** A workload that a clock starts. */
type ScheduledWorkload = { triggers: readonly Trigger[]; updatedAt: Date }

/** `at`: which of its triggers it is. */
export type Fire = { at: number; trigger: Trigger; due: Date }

type Needs<W> = {
  /** Of every workspace: the service's own view. */
  withSchedules(): Promise<W[]>
  /** Called by every process that finds it due, again and again: it does it once. */
  fire(workload: W, fire: Fire): Promise<void>
  log: Log<'trigger.failed'>
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
  const latestDue = rememberedSchedules()
  return async () => {
    for (const workload of await withSchedules()) {
      for (const due of dueTriggers(workload)) {
        await fire(workload, due).catch((error) => log('trigger.failed', { code: describeError(error) }))
      }
    }
  }

  function dueTriggers({ triggers, updatedAt }: W): Fire[] {
    return triggers.flatMap((trigger, at) => {
      const { type, enabled, configuration } = trigger
      const due = type === 'cron' && enabled ? latestDue(configuration.schedule ?? '', now()) : undefined
      // Not before the workload had its present form: a new schedule says nothing about the past.
      return due && due > updatedAt ? [{ at, trigger, due }] : []
    })
  }
}

/** Names the minute, so that all who come to it use one id. */
export const minuteOf = (due: Date): string => due.toISOString().replace(/\D/g, '').slice(0, 12)

/** By its text: every workload is asked every few seconds, and what a schedule says changes once a minute at most. */
function rememberedSchedules(): (text: string, now: Date) => Date | undefined {
  const known = new LRUCache<string, LatestDue>(atMost(10_000))
  return (text, now) => {
    const schedule = known.get(text) ?? latestDueOf(parseSchedule(text))
    known.set(text, schedule)
    return schedule(now)
  }
}

type LatestDue = (now: Date) => Date | undefined

/** When it was due last, as far as that is made good. A search may go through years, so one is made when the next time has come. */
function latestDueOf(schedule: Schedule | undefined): LatestDue {
  if (!schedule) return () => undefined
  let known: (DueTimes & { at: Date }) | undefined
  return (now) => {
    const earliest = new Date(now.getTime() - lookBackMs)
    const before = known && known.at <= now ? known : undefined // a clock may be set back
    const { latest, next } = before && !(before.next && before.next <= now) ? before : dueTimes(schedule, earliest, now)
    known = { at: now, latest, next }
    return latest && latest > earliest ? latest : undefined
  }
}
